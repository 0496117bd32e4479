"""Containers, clusters, machines in the cloud: what builds here, and what runs elsewhere."""

from hostgate.core.tools.tool import Tool, table

_COMPOSE_READS = "ps logs config convert ls top images events version port stats volumes"
_COMPOSE_VALUES = """-f --file -p --project-name --project-directory --profile --env-file
    --ansi --progress --parallel"""
_COMPOSE_SAME = "-f=--file -p=--project-name -d=--detach"


def _engine(reads: str) -> Tool:
    compose = " ".join([f"compose/{verb}" for verb in reads.split()])
    return Tool(
        build="""build buildx/build buildx/bake compose/build image/build builder/build bake""",
        server="compose/up compose/watch compose/attach",
        read=f"""ps images logs inspect info version stats events top port diff history search
            context/ls context/list context/show context/inspect image/ls image/list
            image/inspect image/history container/ls container/list container/inspect
            container/logs container/ps container/stats container/top container/port network/ls
            network/list network/inspect volume/ls volume/list volume/inspect system/df
            system/info system/events manifest/inspect buildx/ls buildx/inspect buildx/du
            buildx/imagetools/inspect buildx/version plugin/ls stack/ls stack/ps stack/services
            service/ls service/ps
            service/logs node/ls secret/ls config/ls model/list scout {compose}""",
        values=f"-H --host --context -c --config -l --log-level {_COMPOSE_VALUES}",
        asking="buildx:--print bake:--print buildx:--call build:--check",
        building="compose/up:--build compose/run:--build compose/create:--build",
        same="-d=--detach -i=--interactive -e=--env -v=--volume -p=--project-name",
    )


TOOLS = table(
    {
        "docker podman nerdctl finch": _engine(_COMPOSE_READS),
        "docker-compose podman-compose": Tool(
            build="build",
            server="up watch",
            read=_COMPOSE_READS,
            values=_COMPOSE_VALUES,
            building="up:--build run:--build create:--build",
            same=_COMPOSE_SAME,
        ),
        "buildah": Tool(build="bud build build-using-dockerfile", read="images containers info"),
        "img kaniko": Tool(build="build"),
        "buildctl": Tool(build="build", read="du"),
        "pack": Tool(build="build", read="inspect builder/suggest"),
        "ko": Tool(build="build publish apply resolve"),
        "skaffold": Tool(build="build run test", server="dev debug", read="diagnose render"),
        "tilt": Tool(server="up", build="ci", read="version logs get describe doctor"),
        "devcontainer": Tool(build="build up", read="read-configuration"),
        "earthly": Tool("build", read="ls doc", other="bootstrap account prune"),
        "dagger": Tool(build="build call", read="functions version"),
        "packer": Tool(build="build", read="inspect validate version", other="init fmt"),
        "garden": Tool(build="build deploy test", server="dev", read="get"),
        "act": Tool(harmless="-l --list -n --dryrun"),
        "kubectl oc k kubecolor": Tool(
            read="""get describe logs top explain version cluster-info api-resources api-versions
                config/view config/get-contexts config/current-context config/get-clusters
                auth/can-i auth/whoami diff events rollout/status rollout/history wait
                kustomize options""",
            server="port-forward proxy",
            values="""-n --namespace --context --kubeconfig --cluster --user -f --filename -l
                --selector -o --output -c --container""",
            same="""-n=--namespace -f=--filename -l=--selector -c=--container -i=--stdin -t=--tty
                svc=service po=pod deploy=deployment sts=statefulset ds=daemonset cm=configmap
                ns=namespace pods=pod services=service deployments=deployment""",
            tuning="-v --timeout --request-timeout --grace-period",
        ),
        "stern kubetail k9s kail": Tool("read"),
        "kustomize": Tool("read", other="edit create localize"),
        "kubectx kubens": Tool(bare="read"),
        "crictl skopeo": Tool(read="ps pods images logs inspect stats info list-tags"),
        "helm": Tool(
            read="""list ls status get history template show search repo/list version env
                diff plugin/list dependency/list verify inspect""",
            values="-n --namespace --kube-context --kubeconfig",
            same="-n=--namespace -i=--install -f=--values up=upgrade",
            tuning="--timeout --history-max",
        ),
        "helmfile": Tool(read="diff list status template build"),
        "terraform tofu terragrunt": Tool(
            test="test",
            read="""plan show output validate state/list state/show state/pull providers graph
                version workspace/list workspace/show metadata""",
            nested="run-all:1",
            tuning="-parallelism -lock-timeout --parallelism",
        ),
        "pulumi": Tool(
            server="watch", read="preview stack/ls stack/output about whoami logs config/get"
        ),
        "cdk cdktf": Tool(
            build="synth synthesize", server="watch", read="diff ls list doctor metadata"
        ),
        "sam": Tool(
            build="build",
            server="local/start-api local/start-lambda",
            read="logs validate list",
        ),
        "ansible-playbook": Tool(
            harmless="--check -C --syntax-check --list-tasks --list-hosts --list-tags",
            same="-i=--inventory -l=--limit -t=--tags -e=--extra-vars -b=--become",
            tuning="-f --forks -T --timeout",
        ),
        "ansible-doc ansible-inventory ansible-config": Tool("read"),
        "ansible-galaxy": Tool(read="list search info collection/list role/list"),
        "vagrant": Tool(read="status global-status port ssh-config version box/list validate"),
        "minikube": Tool(
            server="dashboard tunnel mount",
            read="status ip profile/list version logs addons/list service/list",
        ),
        "kind k3d": Tool(read="get version cluster/list node/list", build="build"),
        "argocd flux": Tool(read="app/list app/get app/diff get logs version check"),
        "eksctl": Tool(read="get info version"),
        "istioctl linkerd": Tool(read="version analyze proxy-status check", server="dashboard viz"),
        "aws awslocal": Tool(
            read="""s3/ls s3/presign */describe-* */list-* */get-* */batch-get-* */filter-*
                */lookup-* logs/tail configure/list */wait */scan */query */head-*""",
            values="--profile --region --output --query --endpoint-url",
        ),
        "gcloud": Tool(
            read="""*/list */describe */*/list */*/describe info version config/get-value
                config/get logging/read logging/tail auth/list auth/print-access-token
                auth/print-identity-token projects/get-iam-policy""",
            values="--project --region --zone --format --filter --account",
        ),
        "gsutil": Tool(read="ls cat du stat version hash"),
        "bq": Tool(read="ls show head"),
        "az": Tool(
            read="""*/list */show */*/list */*/show version account/list account/show
                */*/*/list */*/*/show""",
            values="-g --resource-group -n --name -o --output --subscription",
            same="-g=--resource-group -n=--name -o=--output",
        ),
        "doctl hcloud linode-cli scw": Tool(read="*/list */*/list */get */*/get */describe"),
        "fly flyctl": Tool(
            read="status logs info releases version platform checks */list",
            server="proxy",
        ),
        "heroku": Tool(
            read="logs ps config apps info releases status addons pg:info config:get",
            server="local",
        ),
        "railway render": Tool(read="status logs list whoami"),
        "cf": Tool(read="apps app logs services env"),
        "consul vault nomad": Tool(
            server="agent server",
            read="members status version info node/status job/status kv/get read list catalog",
        ),
        "gh glab": Tool(
            read="""*/list */view */status */diff pr/checks run/watch search status api ci/trace
                project/item-list project/field-list""",
            values="-R --repo -H --header --hostname --jq -q -t --template",
            elsewhere="-X --method --raw-field --input -f -F",
            same="-t=--title -b=--body -R=--repo -B=--base -H=--head",
        ),
        "localstack": Tool(server="start", read="status logs", other="stop"),
        "limactl colima multipass lxc orb": Tool(read="list ls status info version"),
    }
)
