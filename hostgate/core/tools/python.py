"""Python: packagers, environments, test runners, servers, documentation."""

from hostgate.core.tools.tool import Tool, table

_PIP = Tool(
    build="install uninstall wheel sync",
    read="""list show freeze check index config/list config/get config/debug cache/list cache/dir
        cache/info debug hash inspect""",
    other="download cache config search",
    elsewhere="--user",
    values="-r --requirement -c --constraint -i --index-url --python -t --target --proxy --log",
    harmless="-V",
)


def _serving(port: str) -> Tool:
    """A server of an application, which takes ``port`` by itself."""
    return Tool(
        "server",
        read="routes version",
        harmless="--check-config",
        port=port,
        same="-p=--port -w=--workers",
    )


_CONDA = Tool(
    build="install update upgrade remove uninstall env/update build",
    read="list info search env/list env/export export notices doctor compare",
    other="init activate deactivate clean config run create env/create env/remove",
    values="-n --name -p --prefix -c --channel",
)

TOOLS = table(
    {
        "python pypy": Tool(values="-W -X -c -m"),
        "pip": _PIP,
        "pip-sync": Tool("build"),
        "piptools": Tool(build="sync"),
        "uv": Tool(
            build="sync add remove lock build pip pip/install pip/uninstall pip/sync",
            read="""tree pip/list pip/show pip/freeze pip/check pip/tree tool/list tool/dir
                python/list python/find python/dir version/ help cache/dir auth/dir""",
            other="""venv init export publish tool cache self python format pip/compile run
                audit auth version""",
            values="""--directory --project --python -p --index-url --extra --group --package
                --config-file --with --env-file""",
            asking="lock:--check sync:--check",
            elsewhere="--system",
        ),
        "poetry": Tool(
            build="install add remove update build lock sync",
            read="show check env/info env/list version/ search about source/show help",
            other="publish new init export shell self cache run source config env version",
            values="-C --directory --project -P",
            asking="lock:--check",
            building="publish:--build",
        ),
        "pdm": Tool(
            build="install add remove update sync lock build",
            read="list show info search outdated",
            other="init publish export use venv config cache run fix plugin self",
            values="-p --project",
            asking="lock:--check",
        ),
        "pipenv": Tool(
            build="install uninstall update upgrade sync lock clean",
            read="graph check requirements scripts verify audit",
            other="shell run",
            harmless="--venv --where --envs --py",
        ),
        "hatch": Tool(
            build="build clean",
            test="test",
            read="version/ status dep/show env/show env/find config/show project/metadata",
            other="fmt publish new env config shell run version",
        ),
        "rye": Tool(
            build="sync build add remove lock install",
            test="test",
            read="list show",
            other="config init fmt lint publish pin self toolchain run",
        ),
        "flit": Tool(build="build install", other="publish init"),
        "pixi": Tool(
            build="install add remove update lock build reinstall upgrade clean",
            read="list info tree search config/list",
            other="init shell global self-update project run exec upload",
        ),
        "conda mamba micromamba": _CONDA,
        "conda-build": Tool("build"),
        "pip-compile pipx pyenv virtualenv venv twine ensurepip": Tool(
            read="list versions which version commands root environment"
        ),
        """build pyinstaller PyInstaller nuitka nuitka3 cxfreeze shiv pex cibuildwheel auditwheel
        delocate pyoxidizer py2app pyside6-rcc pyside6-uic pyuic5 pyrcc5 cffi zipapp
        f2py""": Tool("build", read="list"),
        "setup.py": Tool("build", test="test", other="upload register check", bare="other"),
        "rattler-build": Tool(build="build test"),
        "maturin": Tool(build="develop build publish sdist", other="new init generate-ci upload"),
        "briefcase beeware": Tool(
            build="build create update package run dev", other="new publish convert upgrade"
        ),
        "pytest py.test": Tool(
            "test",
            harmless="""--collect-only --co --fixtures --markers --fixtures-per-test --setup-plan
                --cache-show""",
            running="-f --looponfail",
            values="-k -m -c -p -n --rootdir --maxfail --tb --durations -o --junitxml --ignore",
            same="""-x=--exitfirst -q=--quiet -v=--verbose -n=--numprocesses -s=--capture=no
                -l=--showlocals
                --lf=--last-failed --ff=--failed-first --sw=--stepwise""",
            tuning="""-n --numprocesses --tb --durations --maxfail -r --cov-report --dist
                --junitxml --junit-xml --timeout --reruns --count --capture -p -W --verbosity
                --log-cli-level --log-level --maxprocesses --color --html --cov-config
                --durations-min --show-capture --cov-fail-under""",
        ),
        "unittest nose2 nosetests green trial stestr ward doctest slipcover lettuce": Tool("test"),
        "behave robot pabot": Tool(
            "test", harmless="--dryrun", same="-t=--tags -i=--include -L=--loglevel -d=--outputdir"
        ),
        "ptw pytest-watch pytest-watcher watchmedo watchfiles watchgod hupper": Tool("server"),
        "tox": Tool(
            "test",
            read="list l config c depends q quickstart schema man",
            other="devenv d",
            harmless="-l --listenvs -a --listenvs-all --showconfig --list-dependencies",
            elsewhere="--notest --devenv",
            same="-p=--parallel",
            tuning="-p --parallel",
        ),
        "nox": Tool("test", harmless="-l --list --list-sessions", same="-s=--session"),
        "coverage": Tool(
            test="run", read="report", other="html xml json lcov combine erase annotate"
        ),
        "locust": Tool("server", testing="--headless", port="8089"),
        "mutmut cosmic-ray asv schemathesis avocado molecule": Tool(
            test="run test exec verify",
            read="results show list status",
            other="lint create converge destroy publish html browse",
        ),
        "manage.py django-admin": Tool(
            server="runserver runserver_plus testserver livereload qcluster rqworker",
            test="test",
            read="""showmigrations check sqlmigrate diffsettings inspectdb show_urls version
                sqlflush sqlsequencereset findstatic help""",
            harmless="--check --plan --list",
            same="--noinput=--no-input -v=--verbosity",
            port="8000",
        ),
        "flask": Tool(
            server="run",
            test="test",
            read="routes db/current db/history db/heads db/show",
            values="--app -A -e --env-file",
            same="-p=--port -h=--host",
            port="5000",
        ),
        """uvicorn gunicorn daphne hypercorn granian uwsgi sanic twistd robyn litestar chainlit
        voila http.server SimpleHTTPServer aiosmtpd smtpd RangeHTTPServer pyftpdlib
        sphinx-autobuild shiny solara mesop""": _serving("8000"),
        "waitress-serve nicegui mitmproxy mitmweb mitmdump": _serving("8080"),
        "quart": _serving("5000"),
        "panel bokeh": _serving("5006"),
        "gradio": _serving("7860"),
        "datasette": _serving("8001"),
        "litellm": _serving("4000"),
        "langgraph bentoml": Tool(build="build containerize", server="dev up serve"),
        "mcp fastmcp": Tool(server="dev run"),
        "modal chalice": Tool(server="serve local", build="package", read="logs app/list app/logs"),
        "reflex": Tool("server", other="init export"),
        "fastapi": Tool("server", other="login deploy cloud", port="8000"),
        "streamlit": Tool("server", read="version config cache", port="8501"),
        "jupyter jupyter-lab jupyter-notebook": Tool(
            "server",
            build="lab/build",
            other="""nbconvert execute trust nbextension labextension kernelspec serverextension
                console run qtconsole */stop""",
            read="kernelspec/list server/list notebook/list lab/list --paths troubleshoot",
            harmless="--paths --config-dir --data-dir --runtime-dir",
            port="8888",
        ),
        "jupyter-book": Tool(build="build clean", server="start", other="create"),
        "celery": Tool(
            server="worker beat flower events multi",
            read="inspect status report list",
            other="purge call control migrate shell result upgrade",
            values="-A --app -b --broker --workdir --result-backend",
            same="-Q=--queues -l=--loglevel -c=--concurrency -A=--app -n=--hostname",
            tuning="-l --loglevel -c --concurrency -P --pool --max-tasks-per-child",
        ),
        "rq dramatiq huey_consumer huey_consumer.py arq taskiq procrastinate flower": Tool(
            "server", read="info", other="empty enqueue requeue"
        ),
        "airflow": Tool(
            server="webserver scheduler standalone api-server worker triggerer dag-processor",
            read="""dags/list tasks/list dags/show info version config/list variables/list
                connections/list dags/list-runs""",
            test="dags/test tasks/test",
        ),
        "dagster prefect mlflow kedro": Tool(
            server="dev ui server server/start worker/start viz models/serve",
            read="version config/view",
        ),
        "tensorboard": Tool("server", port="6006"),
        "visdom aim luigid": Tool("server"),
        "dvc": Tool(read="status diff list dag metrics params plots data/status"),
        "snakemake": Tool(harmless="-n --dryrun --summary"),
        "dbt": Tool(
            test="test",
            read="ls list debug show",
            server="docs/serve",
            values="--profiles-dir --project-dir --target -t --profile",
        ),
        "mkdocs zensical properdocs": Tool(
            build="build",
            server="serve",
            other="gh-deploy new get-deps",
            values="-f --config-file",
            same="-a=--dev-addr",
            port="8000",
        ),
        "sphinx-build sphinx sphinx-apidoc pdoc pdoc3 pydoctor": Tool("build"),
        "nikola lektor": Tool(build="build clean", server="serve auto server", other="deploy new"),
        "pelican": Tool("build", running="-l --listen -r --autoreload"),
        "invoke inv doit poe poethepoet nps": Tool(
            tasks="-",
            harmless="-l --list",
            read="list",
            values="-c --collection -r --search-root -C --root -f",
        ),
        "alembic": Tool(read="current history heads show branches check"),
        "scrapy": Tool(read="list settings version"),
        "ruff": Tool(read="rule linter config version", tuning="--output-format"),
        "black isort flake8 pylint mypy pyright autopep8 yapf bandit pyflakes": Tool(
            tuning="--output-format -j --jobs --processes"
        ),
        "dmypy": Tool(read="status"),
        "pre-commit prek": Tool(
            same="-a=--all-files -v=--verbose", read="validate-config validate-manifest"
        ),
        "pydoc": Tool("read", running="-p -b"),
        "timeit json.tool site this sysconfig platform tabnanny trace dis ast": Tool("read"),
        "grpc_tools.protoc": Tool("build"),
        "compileall": Tool("build"),
        "py_compile": Tool(),
    }
)
