"""Frameworks of sites and applications that Node runs, and the services that host them."""

from hostgate.core.tools.tool import Tool, table


def _serving(port: str) -> Tool:
    """A development server that builds with ``build`` and serves with any other verb."""
    return Tool(
        "server",
        build="build generate export prepare typecheck clean",
        other="lint init add create deploy check sync optimize telemetry codemod",
        read="info version list",
        running="-w",
        same="-p=--port -H=--host --hostname=--host dev= serve=",
        port=port,
    )


TOOLS = table(
    {
        "rsbuild farm modern umi wmr snowpack": _serving("3000"),
        "vite rolldown-vite": _serving("5173"),
        "next": Tool(
            "server",
            build="build export typegen experimental-compile",
            other="lint telemetry experimental-test upgrade",
            read="info",
            same="-p=--port -H=--hostname",
            values="-p --port -H --hostname",
            port="3000",
        ),
        "nuxt nuxi": Tool(
            build="build generate prepare typecheck cleanup analyze build-module",
            server="dev start preview",
            test="test",
            read="info",
            same="-p=--port",
            port="3000",
        ),
        "astro": Tool(
            build="build sync", server="dev preview", read="info docs", bare="read", port="4321"
        ),
        "remix react-router solid-start vinxi qwik nitro nitropack": Tool(
            build="build vite:build typegen prepare",
            server="dev vite:dev preview",
            read="routes",
            port="3000",
        ),
        "gatsby": Tool(
            build="build clean", server="develop serve", read="info", bare="other", port="8000"
        ),
        "svelte-kit": Tool(build="sync package build", server="dev preview"),
        "ng": Tool(
            build="build b xi18n extract-i18n",
            server="serve s dev",
            test="test t e2e e",
            read="version v config/get",
            other="lint generate g add update new n deploy analytics cache",
            tasks="run",
            port="4200",
        ),
        "vue-cli-service": Tool(
            build="build", server="serve", test="test:unit test:e2e", read="inspect", port="8080"
        ),
        "react-scripts craco react-app-rewired": Tool(
            build="build", server="start", test="test", port="3000"
        ),
        "expo expo-cli": Tool(
            "server",
            build="export prebuild run:ios run:android build:web install",
            other="customize lint login logout register publish init doctor upgrade",
            read="config whoami",
            asking="install:--check",
            same="-p=--port",
            port="8081",
        ),
        "eas": Tool(read="build:list build:view whoami config", building="build:--local"),
        "react-native rnc-cli": Tool(
            build="run-ios run-android build-ios build-android bundle",
            server="start",
            read="info config doctor log-ios log-android",
            port="8081",
        ),
        "metro": Tool("server", build="build"),
        "cap capacitor cordova ionic": Tool(
            build="build run sync copy update prepare compile emulate",
            server="serve",
            read="ls info list doctor requirements",
            nested="capacitor:1 cordova:1 cap:1",
        ),
        "electron": Tool(),
        "electron-forge": Tool(build="make package", server="start", other="publish import init"),
        "electron-vite": Tool("server", build="build"),
        "tauri": Tool(
            build="build bundle ios/build android/build",
            server="dev ios/dev android/dev",
            read="info inspect",
        ),
        "nest": Tool(
            build="build", server="start", other="new n generate g add update", read="info i"
        ),
        "docusaurus": Tool(
            build="build clear",
            server="start serve",
            other="deploy swizzle write-translations write-heading-ids docs:version",
            port="3000",
        ),
        "vitepress vuepress rspress": Tool(
            build="build", server="dev preview serve", bare="server"
        ),
        "wxt plasmo": Tool("server", build="build zip package prepare", other="init submit"),
        "web-ext": Tool(build="build", server="run"),
        "vsce ovsx": Tool(build="package", read="ls show search"),
        "wp-scripts": Tool(build="build", server="start", test="test-*"),
        "strapi medusa keystone directus sanity": Tool(build="build", server="develop dev start"),
        "meteor": Tool(build="build", server="run", test="test test-packages", bare="server"),
        "rw redwood": Tool(build="build type-check", server="dev serve", test="test"),
        "ace": Tool(build="build", server="serve", test="test", read="list*"),
        "eleventy": Tool("build", running="--serve"),
        "hexo": Tool(
            build="generate g",
            server="server s",
            other="clean deploy d new",
            read="list version",
        ),
        "stencil ember": Tool(
            build="build b",
            server="serve s server start",
            test="test t",
            other="generate g install init new addon destroy",
        ),
        "storybook sb start-storybook": Tool(
            "server",
            build="build",
            other="init upgrade add migrate doctor",
            read="info",
            same="-p=--port -h=--host -c=--config-dir",
            port="6006",
        ),
        "napi neon": Tool(build="build", other="new rename"),
        "wrangler": Tool(
            server="dev pages/dev",
            build="build",
            read="tail whoami */list */*/list",
            port="8787",
        ),
        "vercel now": Tool(
            build="build", server="dev", read="ls list inspect logs whoami */ls", port="3000"
        ),
        "netlify ntl": Tool(
            build="build", server="dev serve", read="status logs *:list", port="8888"
        ),
        "firebase": Tool(
            server="serve emulators:start", test="emulators:exec", read="*:list functions:log"
        ),
        "func swa": Tool(build="build pack", server="start"),
        "serverless sls": Tool(
            build="package", server="offline dev", read="info logs print deploy/list"
        ),
        "sst convex inngest inngest-cli trigger.dev partykit": Tool(
            server="dev start", read="diff logs"
        ),
        "prisma": Tool(read="migrate/status migrate/diff validate version", server="studio dev"),
        "drizzle-kit": Tool(server="studio", read="check"),
        "supabase": Tool(
            server="start functions/serve", read="status projects/list migration/list"
        ),
        "stripe": Tool(server="listen", read="logs"),
        "serve json-server": Tool("server", same="-p=--port -l=--port", port="3000"),
        "http-server live-server": Tool("server", same="-p=--port", port="8080"),
        """lite-server browser-sync ws local-web-server localtunnel lt verdaccio watchify chokidar
        onchange""": Tool("server"),
    }
)
