# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# bash: hbactl itself says what may stand there (hbactl complete). With functions of bash-completion, which loads this.
_hbactl()
{
    local cur words cword word

    _get_comp_words_by_ref -n '=:' cur words cword || return
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
            :files | :dirs)
                [[ $cur == --*=* ]] && cur=${cur#*=}
                if [[ $word == :dirs ]]; then _filedir -d; else _filedir; fi
                return
                ;;
        esac
        COMPREPLY+=("$word")
    done < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1:cword}" 2>/dev/null)
    # What stands before the last = or : of the word is one of its own to bash.
    [[ $cur == --*=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
    __ltrim_colon_completions "$cur"
} && complete -F _hbactl hbactl
