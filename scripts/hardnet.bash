# bash completion for hardnet; installed as share/bash-completion/completions/hardnet, or: source scripts/hardnet.bash
# SPDX-License-Identifier: MIT

_hardnet_files() { # EXTENSION...: folders, and files that end so
    local extension
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
        compgen -d -- "$current"
        for extension in "$@"; do
            compgen -f -X "!*.$extension" -- "$current"
        done
    )
}

_hardnet() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local common="--let --threads --relax-integrality --max-nodes --help" own=""
    local layer="--method --damping --iterations --tolerance --relative --isa"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "check project bench --help --version" -- "$current")
        return
    fi
    case $previous in
    --x | --y | --out) _hardnet_files npy && return ;;
    --trace) _hardnet_files csv && return ;;
    --json | --report) _hardnet_files json && return ;;
    --picture) _hardnet_files svg pbm && return ;;
    --method)
        mapfile -t COMPREPLY < <(compgen -W "auto paper hardnet lm" -- "$current")
        return
        ;;
    --isa)
        mapfile -t COMPREPLY < <(compgen -W "portable avx2 avx512" -- "$current")
        return
        ;;
    --threads)
        mapfile -t COMPREPLY < <(compgen -W "1 2 4 8 $(nproc 2>/dev/null)" -- "$current")
        return
        ;;
    --let | --max-nodes | --seed | --points | --samples | --repeat) return ;;
    --damping | --iterations | --tolerance | --time-limit) return ;;
    esac
    case $verb in
    check) own="--all --pattern --picture --json --x --seed --points" ;;
    project) own="--y --x --out --report --trace --allow-infeasible --time-limit $layer" ;;
    bench) own="--y --x --samples --seed --repeat --report $layer" ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$own $common" -- "$current")
    else
        _hardnet_files mod dat
    fi
}

complete -F _hardnet hardnet
