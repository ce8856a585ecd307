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

_hardnet_methods() { # COMMAND VERB: the error for an unknown method lists all
    "$1" "$2" MODEL --method '?' 2>&1 | sed -n "s/,//g; s/.*'?' is not one of //p"
}

_hardnet() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local common="--let --threads --relax-integrality --untrusted --max-nodes --help" own=""
    local learn="--out --seed --hidden --activation --structure --norm --network --candidates --refine --loss --improve --explore --train-iterations"
    learn+=" --penalty --correction-steps --correction-rate --momentum --residual-weight --move-weight"
    learn+=" --epochs --steps-per-epoch --steps --batch --rate --last-share --warmup"
    learn+=" --clip-sample --clip-batch --x --targets --reference --multistart --labels --target-steps"
    learn+=" --feedback --open-loop --feedback-share --feedback-steps --feedback-beyond --feedback-inside --validation --validate-every"
    learn+=" --patience --checkpoint --checkpoint-every --checkpoint-steps --resume --keep --init --survey --log --validation-inputs"
    local layer="--method --damping --iterations --tolerance --effort --relative --isa" compile="--compile --kernel" device="--device --precision"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "check project solve bench compile train eval rollout emit write table help version --help --version" -- "$current")
        return
    fi
    if [[ $verb == help || $verb == version ]]; then
        ((COMP_CWORD == 2)) && mapfile -t COMPREPLY < <(compgen -W "check project solve bench compile train eval rollout emit write table" -- "$current")
        return
    fi
    case $verb$previous in
    train--out) _hardnet_files safetensors && return ;;
    table--out) _hardnet_files txt && return ;;
    write--out) _hardnet_files mod && return ;;
    compile--out) _hardnet_files so && return ;;
    emit--out) _hardnet_files && return ;;
    table--title) return ;;
    esac
    case $previous in
    --x | --x0 | --y | --out | --targets | --states | --weights | --multipliers | --proof-point | --objective) _hardnet_files npy && return ;;
    --trace | --log | --csv) _hardnet_files csv && return ;;
    --checkpoint) _hardnet_files checkpoint && return ;;
    --net | --init) _hardnet_files safetensors && return ;;
    --kernel) _hardnet_files so && return ;;
    --cache)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    --network)
        mapfile -t COMPREPLY < <(compgen -W "scaled plain" -- "$current")
        return
        ;;
    --structure)
        mapfile -t COMPREPLY < <(compgen -W "plain residual" -- "$current")
        return
        ;;
    --norm)
        mapfile -t COMPREPLY < <(compgen -W "none layer" -- "$current")
        return
        ;;
    --activation)
        mapfile -t COMPREPLY < <(compgen -W "relu tanh silu" -- "$current")
        return
        ;;
    --loss)
        mapfile -t COMPREPLY < <(compgen -W "objective improve targets" -- "$current")
        return
        ;;
    --reference)
        mapfile -t COMPREPLY < <(compgen -W "ipopt optimal" -- "$current")
        return
        ;;
    --json | --report) _hardnet_files json && return ;;
    --picture) _hardnet_files svg pbm && return ;;
    --method)
        mapfile -t COMPREPLY < <(compgen -W "$(_hardnet_methods "${COMP_WORDS[0]}" "$verb")" -- "$current")
        return
        ;;
    --real)
        mapfile -t COMPREPLY < <(compgen -W "double float" -- "$current")
        return
        ;;
    --libm)
        mapfile -t COMPREPLY < <(compgen -W "yes no" -- "$current")
        return
        ;;
    --abi)
        mapfile -t COMPREPLY < <(compgen -W "casadi" -- "$current")
        return
        ;;
    --device)
        mapfile -t COMPREPLY < <(compgen -W "cpu cuda" -- "$current")
        return
        ;;
    --precision)
        mapfile -t COMPREPLY < <(compgen -W "float64 float32" -- "$current")
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
    --let | --max-nodes | --seed | --points | --survey | --samples | --repeat | --starts | --multistart | --reference-seconds) return ;;
    --damping | --iterations | --tolerance | --effort | --time-limit) return ;;
    --penalty | --correction-steps | --correction-rate | --momentum | --last-share) return ;;
    --hidden | --candidates | --refine | --improve | --explore | --train-iterations | --residual-weight | --move-weight) return ;;
    --epochs | --steps-per-epoch | --steps | --batch | --rate | --warmup | --clip-sample | --clip-batch) return ;;
    --labels | --target-steps | --feedback | --feedback-share | --feedback-steps | --validation) return ;;
    --validate-every | --patience | --checkpoint-every | --checkpoint-steps) return ;;
    --cost | --final-cost | --margin | --name | --disturbance) return ;;
    esac
    case $verb in
    check) own="--all --pattern --picture --json --x --seed --points --survey" ;;
    project) own="--y --x --out --report --trace --allow-infeasible --time-limit --weights --multipliers --proof-point $layer $compile $device" ;;
    solve)
        own="--y --x --multistart --out --multipliers --proof-point --objective --report --allow-infeasible --time-limit"
        own+=" --damping --iterations --tolerance --effort --relative --isa"
        ;;
    bench) own="--y --x --samples --seed --repeat --report $layer $compile $device" ;;
    compile) own="--out --no-gradients --again --seconds $layer" ;;
    train) own="$learn $layer $compile $device" ;;
    eval)
        own="--net --x --samples --seed --out --csv --report --allow-infeasible --refine --method --iterations --tolerance --effort"
        own+=" --closed-loop --steps --feedback --cost --final-cost --allow-outside"
        own+=" --reference --starts --reference-seconds --cache $compile $device"
        ;;
    rollout)
        own="--net --reference --x0 --samples --steps --feedback --plant --disturbance --cost --final-cost --margin --report --csv --show"
        own+=" --states --allow-infeasible --allow-outside --starts --reference-seconds --seed $compile"
        ;;
    emit) own="--out --net --candidates --refine --real --name --libm --adjoint --abi $layer" ;;
    write) own="--out" ;;
    table)
        own="--title --out --json --help"
        common=""
        ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$own $common" -- "$current")
    elif [[ $verb == table ]]; then
        _hardnet_files json
    else
        _hardnet_files mod dat
    fi
}

complete -F _hardnet hardnet
