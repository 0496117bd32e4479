"""What every system has: files, text, processes, version control, databases, servers."""

from hostgate.core.tools.tool import Tool, table

TOOLS = table(
    {
        """ls ll la cat head tail less more most bat batcat exa eza lsd grep egrep fgrep zgrep rg ag
        ack ugrep git-grep find fd fdfind locate wc uniq cut tr jq yq gron fx jless awk gawk
        mawk nawk diff colordiff delta difft sdiff wdiff cmp comm join paste column file stat du
        dust ncdu df ps pgrep pidof pstree top htop btop glances lsof which whereis type
        hash man info apropos whatis help tldr pwd env printenv date cal whoami who w id groups
        uname hostname arch nproc lscpu lsblk lsusb lspci history tree realpath readlink
        dirname basename test [ [[ true false : echo printf yes seq xxd hexdump hd od strings nm
        objdump readelf ldd otool size c++filt addr2line dwarfdump sed command tac nl rev fold
        col pr fmt
        expand shuf md5sum sha1sum sha256sum sha512sum shasum md5 cksum b2sum base64 zcat
        zless xzcat bzcat zipinfo journalctl dmesg vmstat iostat mpstat free uptime last ss
        netstat ifconfig dig nslookup host whois traceroute mtr ping ping6 ip getent locale
        getconf tty tput sleep wait wait-on wait-for-it.sh wait-for read mapfile cloc tokei scc
        diffstat ffprobe mediainfo exiftool identify pdfinfo pdftotext xmllint csvcut csvlook mlr
        tcpdump inotifywait fswatch pkg-config pkgconf llvm-config jobs
        getopt getopts bc dc expr factor numfmt units lsmod ulimit nvidia-smi rocm-smi
        sensors acpi lsb_release timedatectl loginctl findstr dir where tasklist systeminfo
        Get-ChildItem Get-Content Select-String Get-Process""": Tool("read"),
        "fuser": Tool("read", elsewhere="-k -ki"),
        "sort": Tool("read", elsewhere="-o --output"),
        "kill": Tool(harmless="-0 -l"),
        "service": Tool(read="*/status", harmless="--status-all"),
        "crontab": Tool(harmless="-l"),
        "mount": Tool(bare="read"),
        "openssl": Tool(read="version", harmless="-noout"),
        "osascript": Tool(values="-e -l"),
        "xargs parallel": Tool("read"),
        "git": Tool(
            read="""status log diff show grep rev-parse ls-files blame annotate describe shortlog
                cat-file reflog show-ref ls-remote ls-tree rev-list for-each-ref diff-tree
                diff-index diff-files merge-base name-rev whatchanged count-objects cherry
                range-diff check-ignore check-attr var version help show-branch fsck
                verify-commit verify-tag get-tar-commit-id column request-pull lfs/ls-files
                lfs/env lfs/status worktree/list stash/list stash/show config/list config/get
                config/*/ branch/ tag/ remote/ submodule/ submodule/status submodule/summary
                notes/show notes/list bisect/log bisect/view remote/show remote/get-url
                bundle/verify bundle/list-heads sparse-checkout/list difftool interpret-trailers
                merge-tree symbolic-ref/HEAD""",
            other="reflog/expire reflog/delete",
            elsewhere="""--unset --unset-all --remove-section --set-upstream-to --unset-upstream
                --edit-description""",
            values="-C -c --git-dir --work-tree --namespace --exec-path",
            asking="""branch:--list branch:-l branch:--contains branch:--merged branch:--no-merged
                branch:--points-at branch:-a branch:-r tag:-l tag:--list tag:--contains
                tag:--points-at tag:-n tag:-v config:--get config:--get-all config:-l
                config:--list config:--get-regexp clean:-n add:-n rm:-n mv:-n push:-n
                apply:--check apply:--stat apply:--numstat""",
            same="""-u=--set-upstream -f=--force -a=--all -m=--message -v=--verbose -q=--quiet
                -n=--dry-run -S=--gpg-sign -s=--signoff""",
            tuning="--jobs -j --depth --log-size",
        ),
        "hg": Tool(read="status st log diff heads id identify branches tags annotate cat files"),
        "jj": Tool(read="status st log diff show op/log file/list bookmark/list"),
        "svn": Tool(read="status st log diff info list ls cat blame"),
        "lazygit tig": Tool("read"),
        """rm cp mv mkdir rmdir touch ln chmod chown chgrp dd truncate install shred unlink mktemp
        tee split csplit patch tar zip unzip gzip gunzip bzip2 xz zstd 7z scp sftp ssh sshfs rclone
        pkill killall open xdg-open code vim nvim vi nano
        emacs source . export set unset alias unalias declare local readonly typeset eval exec
        trap shopt umask setopt ssh-keygen ssh-add ssh-copy-id gpg age sops pass
        cron at batch launchctl umount mkfs fdisk
        useradd usermod passwd su chroot docker-machine""": Tool(
            harmless="-tf tf -tvf tvf -tzf tzf -tzvf -tjf -Z"
        ),
        "curl wget http https xh httpie": Tool(
            same="""-s=--silent -X=--request -d=--data -H=--header -o=--output -L=--location
                -f=--fail -S=--show-error -k=--insecure""",
            tuning="-m --max-time --connect-timeout --retry --retry-delay --limit-rate",
        ),
        "rsync": Tool(
            harmless="-n --list-only",
            tuning="--bwlimit --timeout --partial-dir --log-file --info",
        ),
        "systemctl": Tool(
            read="""status list-units list-timers list-unit-files is-active is-enabled show cat
                list-dependencies list-sockets is-failed""",
            values="-t --type -p --property -M --machine",
        ),
        "brew": Tool(
            read="""list ls info search outdated deps leaves uses config doctor desc cat home log
                services/list services/info bundle/list bundle/check""",
            harmless="--prefix --cellar --cache --repository",
        ),
        "port": Tool(read="list installed search info contents outdated"),
        "apt apt-get apt-cache aptitude": Tool(
            read="list search show policy depends rdepends madison pkgnames changelog showpkg",
            harmless="-s --simulate --just-print",
        ),
        "dpkg rpm": Tool(
            harmless="-l -L -s -S -q -qa -ql -qi -qf --list --listfiles --status --query"
        ),
        "dnf yum zypper apk pacman emerge snap flatpak": Tool(
            read="list search info repolist se if provides remote-ls",
            harmless="-Q -Qs -Qi -Ql -Qu -Ss -Si",
        ),
        "choco scoop winget": Tool(read="list search info show status outdated"),
        "nvm fnm volta n asdf rbenv nodenv goenv jenv rvm sdk mise rtx": Tool(
            read="""ls list current version which ls-remote list-remote ll where doctor config
                outdated settings env registry tasks/ tasks/ls tasks/info""",
            tasks="run r",
            server="watch",
            values="-C --cd -E --env -j --jobs",
        ),
        "robocopy": Tool(harmless="/L /l"),
        "direnv": Tool(read="status export"),
        "ssh-agent ssh-keyscan": Tool(),
        "nix": Tool(
            build="build flake/check",
            read="""flake/show flake/metadata flake/info search eval path-info log
                derivation/show store/ls store/diff-closures why-depends show-config profile/list
                hash registry/list config/show""",
        ),
        "nix-build": Tool("build"),
        "nix-env": Tool(harmless="-q --query -qa -qaP"),
        "nix-shell nix-instantiate nix-store nix-channel nix-collect-garbage": Tool(
            harmless="-q --query --list"
        ),
        "nixos-rebuild darwin-rebuild home-manager colmena": Tool(
            build="build",
            read="generations list-generations news packages dry-build dry-activate",
        ),
        "process-compose": Tool(server="up"),
        "guix": Tool(build="build", read="search show describe size graph"),
        "psql mysql mariadb mongosh mongo redis-cli sqlite3 clickhouse-client cqlsh duckdb": Tool(
            harmless="-l --list",
            same="""-d=--dbname -U=--username -h=--host -f=--file -c=--command -p=--port
                -W=--password -t=--tuples-only -u=--user""",
        ),
        "pg_isready mysqlshow mongostat": Tool("read"),
        "pg_restore pg_dump pg_dumpall mysqldump mongodump createdb dropdb": Tool(
            same="-U=--username -h=--host -d=--dbname -F=--format -f=--file -p=--port -j=--jobs",
            harmless="-l",
        ),
        "flyway liquibase dbmate goose migrate atlas sqlfluff": Tool(
            read="info status validate history version",
            harmless="-version",
        ),
        """redis-server valkey-server mongod mysqld mariadbd postgres memcached nats-server etcd
        rabbitmq-server minio kafka-server-start.sh kafka-server-start zookeeper-server-start.sh
        elasticsearch opensearch prometheus grafana-server grafana alertmanager loki traefik envoy
        haproxy httpd lighttpd dnsmasq code-server openvscode-server syncthing
        livekit-server ngrok cloudflared devd entr watchexec watchman cargo-watch
        xvfb Xvfb sshd vllm llama-server meilisearch typesense-server qdrant influxd
        clickhouse-server surreal""": Tool(
            "server",
            read="version --version status",
            harmless="-t -v",
            other="reload validate config",
        ),
        "nginx": Tool("server", harmless="-t -T -v -V", elsewhere="-s"),
        "caddy": Tool(
            "server", other="reload stop fmt validate adapt", read="version list-modules"
        ),
        "ollama": Tool(server="serve", read="list ls ps show"),
        "temporal": Tool(server="server/start-dev server", read="workflow/list workflow/describe"),
        "pm2 forever": Tool(
            server="start restart reload",
            read="list ls status logs monit show info describe jlist prettylist",
            other="stop delete save startup kill flush",
        ),
        "supervisord": Tool("server"),
        "supervisorctl": Tool(read="status tail"),
        "bats shellspec shunit2 roundup": Tool("test", harmless="-c --count --list -V"),
        "k6 artillery vegeta": Tool(test="run", read="inspect version"),
        "ffmpeg": Tool(tuning="-preset -threads -loglevel -v -crf"),
        "just": Tool(
            tasks="-",
            harmless="--list -l --summary --show --dump --evaluate --variables -n --dry-run",
            values="-f --justfile -d --working-directory --set",
        ),
        "task go-task": Tool(
            tasks="-",
            goals=True,
            harmless="--list -l --list-all -a --summary --status -n --dry",
            running="-w",
            values="-d --dir -t --taskfile",
        ),
        "tmux zellij": Tool(
            read="ls list-sessions list-windows list-panes capture-pane display-message",
            same="-t=--target",
        ),
        "screen": Tool(harmless="-ls -list", server="*dev*tty* *dev*cu.*"),  # a serial port
        "nc ncat netcat socat": Tool(running="-l -lk -lvnp -lvp -kl"),
        "unzip": Tool(harmless="-l -t -v -Z"),
        "hostgate": Tool(read="ls check explain history stats doctor config wait hook release"),
    }
)
