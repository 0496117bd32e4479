"""What turns sources into documents and sites."""

from hostgate.core.tools.tool import Tool, table

TOOLS = table(
    {
        "latexmk": Tool("build", running="-pvc"),
        """pdflatex xelatex lualatex latex tex pdftex luatex bibtex biber makeindex
        makeglossaries context arara dvips texi2pdf texi2dvi makeinfo""": Tool("build"),
        "tectonic": Tool("build", server="watch", other="new init"),
        "texcount kpsewhich": Tool("read"),
        "typst": Tool(build="compile c", server="watch w", read="fonts query"),
        "mdbook": Tool(build="build clean", test="test", server="serve watch", other="init"),
        "hugo": Tool(
            "build",
            server="server serve",
            read="version list config env mod/graph",
            other="new mod gen deploy convert completion import",
            running="-w --watch",
            values="-s --source -d --destination -e --environment --config",
            port="1313",
            same="-p=--port",
        ),
        "zola": Tool(build="build check", server="serve", other="init", port="1111"),
        "quarto": Tool(build="render", server="preview", read="check list inspect"),
        "doxygen": Tool("build", elsewhere="-g -l -w -u"),
        "jazzy": Tool("build"),
        "docc": Tool(build="convert", server="preview"),
        "antora": Tool("build"),
        "asciidoctor asciidoctor-pdf pandoc vale markdownlint": Tool(),
        "honkit gitbook": Tool(build="build", server="serve"),
        "slidev": Tool("server", build="build export", other="format theme"),
        "marp": Tool(running="-w -s --server"),
        "docsify docsify-cli": Tool(server="serve start"),
        "mintlify": Tool(server="dev"),
    }
)
