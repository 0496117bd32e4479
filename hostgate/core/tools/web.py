"""Ruby, PHP, Elixir and Erlang, Perl, Lua."""

from hostgate.core.tools.tool import Tool, table

TOOLS = table(
    {
        "bundle bundler": Tool(
            build="install update add remove lock clean package cache pristine",
            read="""list show info outdated check config/ config/list config/get platform licenses
                doctor why env version""",
            other="init open gem exec console viz inject binstubs config",
            bare="build",
            values="--gemfile --jobs -j --retry --path",
        ),
        "gem": Tool(
            build="build",
            read="list search info env environment outdated specification contents which help",
        ),
        "rake": Tool(
            build="""build compile package install clobber clean assets:precompile gem repackage
                assets:clobber""",
            test="test test:* spec spec:* cucumber features default",
            server="jobs:work resque:work",
            read="about routes notes stats",
            bare="test",
            goals=True,
            values="-f --rakefile -C --directory -I -r",
            harmless="-T --tasks -P --prereqs -W -D --describe -n --dry-run",
        ),
        "rails": Tool(
            server="s server *:watch *:work solid_queue:start",
            test="test t test:* spec",
            build="assets:precompile assets:clobber webpacker:compile *:build",
            read="""routes about stats notes version db:version db:migrate:status middleware
                initializers zeitwerk:check""",
            harmless="-T --tasks",
            same="""s=server t=test g=generate c=console r=runner -p=--port -b=--binding
                -e=--environment -P=--pid""",
            port="3000",
        ),
        "ruby jruby truffleruby": Tool(
            values="-I -r -e -C", testing="-Itest -Ilib:test -Itest:lib", harmless="-c", hosts=True
        ),
        """rspec cucumber minitest spinach parallel_rspec parallel_test parallel_cucumber
        turbo_tests knapsack flatware m kitchen""": Tool(
            "test",
            harmless="--dry-run",
            values="-e -f -r -o -P -I -t --tag --format --example",
            same="-e=--example -f=--format -t=--tag -fd=--format=documentation -b=--backtrace",
            tuning="-f --format -o --out --seed --order -n",
        ),
        """puma unicorn thin passenger rackup shotgun sidekiq resque guard foreman overmind
        hivemind honcho goreman solid_queue good_job falcon pitchfork mailcatcher rerun""": Tool(
            "server",
            read="check version",
            other="stop restart quit kill connect echo ps run init export",
            same="-p=--port -b=--bind -e=--environment -C=--config",
            tuning="-c -t --threads -w --workers",
        ),
        "jekyll": Tool(
            build="build b",
            server="serve s server",
            other="new clean doctor",
            same="s=serve b=build -P=--port -H=--host",
            port="4000",
        ),
        "middleman bridgetown": Tool(build="build", server="server start serve console"),
        "nanoc": Tool(build="compile co", server="view live", bare="build"),
        "webpacker shakapacker": Tool("build"),
        "appraisal": Tool(build="install update", read="list"),
        "rubocop standardrb brakeman reek erblint srb steep sorbet": Tool(),
        "php": Tool(
            values="-d -c -r -z -f",
            running="-S",
            harmless="-m -i --ini --modules --info -l --ri",
            hosts=True,
        ),
        "artisan": Tool(
            server="""serve queue:work queue:listen horizon schedule:work octane:start
                reverb:start websockets:serve""",
            test="test dusk",
            read="""list about pail route:list migrate:status config:show event:list schedule:list
                queue:failed db:show db:table model:show env inspire help""",
            port="8000",
            harmless="--pretend",
        ),
        "composer": Tool(
            build="""install i update u upgrade require r remove rm dump-autoload dumpautoload
                reinstall bump""",
            read="""show info outdated validate diagnose why why-not depends prohibits licenses
                audit check-platform-reqs search status browse about fund suggests list""",
            other="""create-project global init archive clear-cache clearcache self-update
                selfupdate config exec""",
            values="-d --working-dir",
            tasks="- run run-script",
        ),
        "phpunit pest paratest codecept behat phpspec kahlan infection simple-phpunit": Tool(
            "test",
            harmless="--list-tests --list-suites --list-groups --list-tests-xml",
            values="-c --configuration --filter --testsuite --group",
            build="build",
        ),
        "symfony": Tool(
            server="serve server:start local:server:start",
            read="server:status server:log server:list check:requirements",
            other="server:stop",
        ),
        "console": Tool(
            server="server:run server:start messenger:consume",
            read="debug:* list about router:match doctrine:migrations:status",
            build="asset-map:compile sass:build tailwind:build",
        ),
        "phpunit-watcher": Tool("server"),
        "phpstan psalm phpcs phpcbf php-cs-fixer pint rector phan": Tool(
            tuning="--memory-limit -j --threads", harmless="-i --dump-parameters"
        ),
        "wp drush": Tool(read="core/version */list */get status", server="server"),
        "sail": Tool(
            build="build",
            server="up",
            test="test dusk",
            read="ps logs",
            building="up:--build",
            hosts=True,
        ),
        "mix": Tool(
            "build",
            server="phx.server test.watch",
            read="""help hex.info hex.outdated hex.search hex.audit deps.tree xref app.tree deps
                phx.routes ecto.migrations deps.audit archive""",
            other="""format credo sobelow phx.new new hex.publish hex.build hex.user local.hex
                local.rebar archive.install archive.uninstall escript.install igniter.new
                phx.gen.secret""",
            running="--no-halt",
            bare="build",
        ),
        "elixirc erlc": Tool("build"),
        "iex": Tool(server="phx.server", values="-S --name --sname --cookie -e -r", bare="other"),
        "elixir erl escript": Tool(),
        "rebar3 rebar": Tool(
            "build",
            read="tree help path version report",
            other="new update local plugins hex fmt lint",
            server="shell",
            bare="read",
        ),
        "erlang.mk": Tool("build"),
        "prove yath": Tool("test"),
        "dzil minil mbtiny": Tool(build="build install clean", test="test smoke", other="release"),
        "Makefile.PL Build.PL Build": Tool("build"),
        "cpanm cpan cpm carton": Tool(
            building="--installdeps", build="install", read="list tree show"
        ),
        "busted": Tool("test"),
        "perl": Tool(hosts=True, values="-I -M -m -e -E -ne -pe -pie -lne -nle", harmless="-c"),
        "yard": Tool(build="doc", server="server", read="stats list"),
        "yardoc rdoc": Tool("build"),
        "kamal": Tool(build="build", read="app/logs details audit config"),
        "lua luajit": Tool(),
    }
)
