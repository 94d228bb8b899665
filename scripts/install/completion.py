# SPDX-License-Identifier: Apache-2.0
"""Completion for bash, from the program's own lists: commands, options, presets, keys of options with their words, kernels with their options."""
from scripts.install import command

# Name of an option's value in --help -> its completion.
VALUES = {
    'NAME': '${presets[*]}',
    'BLOCK': '${blocks[*]}',
    'BLOCK,...': '${blocks[*]}',
    'BLOCK[=PATH]': '${blocks[*]}',
    'BLOCK[=PATH],...': '${blocks[*]}',
}
FILES = ('FILE', 'DIR')

TEXT = '''# SPDX-License-Identifier: Apache-2.0
# Completion of memtwin for bash.  Needs no other file.

# Sets `word` to the blank-separated word before the cursor.  Bash splits words at = and :, and a completion replaces only the last part.
# `cut` is the word up to its last = or :.
_memtwin_word() {
    local line=${COMP_LINE:0:COMP_POINT}
    word=${line##*[[:blank:]]}
    cut=${word%"${word##*[=:]}"}
    [[ $COMP_WORDBREAKS == *=*:* || $COMP_WORDBREAKS == *:*=* ]] || cut=
    line=${line%"$word"}
    line=${line%"${line##*[![:blank:]]}"}
    before=${line##*[[:blank:]]}
}

# _memtwin_reply LIST BEGINNING: the names of the list that begin so.  BEGINNING ends the word.
_memtwin_reply() {
    local front=${word%"$2"} name
    while read -r name; do
        name=$front$name
        COMPREPLY+=("${name#"$cut"}")
    done < <(compgen -W "$1" -- "$2")
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    return 0
}

_memtwin_files() {
    while read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$1")
}

# Beginning of KEY=VALUE; other keys.
_memtwin_setting() {
    case $1 in
    preset=*) _memtwin_reply "${presets[*]}" "${1#*=}" ;;
    *=*) _memtwin_reply "${keys[${1%%=*}]-}" "${1#*=}" ;;
    *) _memtwin_reply "$(printf '%s= ' "${!keys[@]}" "${@:2}")" "$1" ;;
    esac
}

# Beginning of KERNEL:OPTION=VALUE,... or of a file.
_memtwin_workload() {
    local item=${1##*[:,]}
    case $1 in
    *:*) [[ $item == *=* ]] || _memtwin_reply "$(printf "%s= " ${kernels[${1%%:*}]-})" "$item" ;;
    *) _memtwin_reply "${!kernels[*]}" "$1"; _memtwin_files "$1" ;;
    esac
}

# OPTION, and the beginning of its value.
_memtwin_value() {
    local item
    case "$name $1" in
@VALUES@
    esac
}

_memtwin() {
@LISTS@
    local word cut before name=${COMP_WORDS[1]-} verb
    COMPREPLY=()
    _memtwin_word
    if ((COMP_CWORD == 1)); then
        _memtwin_reply "${commands[*]} --help --version" "$word"
        return
    fi
    verb=${verbs[$name]-}
    if [[ $verb ]] && ((COMP_CWORD == 2)); then
        _memtwin_reply "$verb" "$word"
        return
    fi
    [[ -z $verb ]] || name="$name ${COMP_WORDS[2]}"
    if [[ $word == --*=* ]]; then
        _memtwin_value "${word%%=*}" "${word#*=}"
    elif [[ $word == -* ]]; then
        _memtwin_reply "${options[$name]-}" "$word"
    elif [[ " ${valued[$name]-} " == *" $before "* ]]; then
        _memtwin_value "$before" "$word"
    elif [[ ${choices[$name]-} ]]; then
        _memtwin_reply "${choices[$name]}" "$word"
    elif [[ " ${workloads[*]} " == *" ${name// /.} "* ]]; then
        _memtwin_workload "$word"
    else
        _memtwin_files "$word"
    fi
}

complete -F _memtwin memtwin
'''


def array(name, items):
    return f'    local -a {name}=({" ".join(items)})\n'


def table(name, items):
    return (
        f'    local -A {name}=('
        + ''.join(f"\n        ['{key}']='{' '.join(words)}'" for key, words in items.items() if words)
        + ')\n'
    )


def names(option):
    return [n for n in (option.short, f'--{option.long}') if n]


def takes_workload(c):
    return 'WORKLOAD' in c.usage or 'KERNEL' in c.usage


def values(every):
    """Branches of a case: command and option -> completion of its value."""
    rows, kinds = [], {}
    for c in every:
        for o in c.options():
            for n in names(o) if o.value else []:
                kinds.setdefault(o.value, []).append(f'"{" ".join(c.words)} {n}"')
    for value, patterns in sorted(kinds.items()):
        if value == 'KEY=VALUE':
            action = '_memtwin_setting "$2"'
        elif value == 'NAME:KEY=VALUE,...':
            action = 'item=${2#*:}; [[ $2 != *:* ]] || _memtwin_setting "${item##*,}" preset'
        elif value in VALUES:
            action = f'_memtwin_reply "{VALUES[value]}" "${{2##*,}}"'
        elif value in FILES:
            action = '_memtwin_files "$2"'
        elif '|' in value:
            action = f'_memtwin_reply "{value.replace("|", " ")}" "$2"'
        else:
            continue
        rows.append(f'    {" | ".join(sorted(patterns))}) {action} ;;')
    return '\n'.join(rows)


def script(program):
    every = command.commands(program)
    words = {' '.join(c.words): c for c in every}
    verbs = {n: [c.words[1] for c in every if len(c.words) > 1 and c.words[0] == n] for n in words}
    lists = (
        array('commands', [n for n in words if ' ' not in n])
        + array('presets', command.presets(program))
        + array('blocks', command.blocks(program))
        + array('workloads', [n.replace(' ', '.') for n, c in words.items() if takes_workload(c)])
        + table('verbs', verbs)
        + table('choices', {n: command.choices(c) for n, c in words.items()})
        + table(
            'options', {n: [f'--{o.long}' + ('=' if o.value else '') for o in c.options()] for n, c in words.items()}
        )
        + table('valued', {n: [x for o in c.options() if o.value for x in names(o)] for n, c in words.items()})
        + table('kernels', command.kernels(program))
        + '    local -A keys=('
        + ''.join(f"\n        ['{k}']='{' '.join(w)}'" for k, w in command.keys(program).items())
        + ')\n'
    )
    return TEXT.replace('@VALUES@', values(every)).replace('@LISTS@', lists.rstrip('\n'))
