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
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "check --help --version" -- "$current")
        return
    fi
    case $previous in
    --x | --y) _hardnet_files npy && return ;;
    --json | --report) _hardnet_files json && return ;;
    --picture) _hardnet_files svg pbm && return ;;
    --threads)
        mapfile -t COMPREPLY < <(compgen -W "1 2 4 8 $(nproc 2>/dev/null)" -- "$current")
        return
        ;;
    --let | --max-nodes | --seed | --points) return ;;
    esac
    case $verb in
    check) own="--all --pattern --picture --json --x --seed --points" ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$own $common" -- "$current")
    else
        _hardnet_files mod dat
    fi
}

complete -F _hardnet hardnet
