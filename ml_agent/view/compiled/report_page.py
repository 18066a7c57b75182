"""Written by scripts/compile-templates.py from report.html.j2; not to be changed by hand."""

JINJA2 = "3.1.6"
"""The version that compiled it."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'report.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_page = resolve('page')
    l_0_log = resolve('log')
    l_0_logs = resolve('logs')
    l_0_outputs = resolve('outputs')
    l_0_files = resolve('files')
    l_0_run = resolve('run')
    l_0_result = l_0_answer = l_0_place = l_0_cited = l_0_declared = missing
    try:
        t_1 = environment.filters['format']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'format' found.")
    try:
        t_2 = environment.filters['join']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'join' found.")
    try:
        t_3 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    try:
        t_4 = environment.filters['urlencode']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'urlencode' found.")
    try:
        t_5 = environment.tests['none']
    except KeyError:
        @internalcode
        def t_5(*unused):
            raise TemplateRuntimeError("No test named 'none' found.")
    pass
    l_0_result = environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'result')
    context.vars['result'] = l_0_result
    context.exported_vars.add('result')
    l_0_answer = environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'answer')
    context.vars['answer'] = l_0_answer
    context.exported_vars.add('answer')
    yield '\n'
    def macro(l_1_path, l_1_line):
        t_6 = []
        l_1_address = missing
        if l_1_path is missing:
            l_1_path = undefined("parameter 'path' was not provided", name='path')
        if l_1_line is missing:
            l_1_line = undefined("parameter 'line' was not provided", name='line')
        pass
        l_1_address = context.call(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'link'), l_1_path, (l_1_line or 0))
        if (undefined(name='address') if l_1_address is missing else l_1_address):
            pass
            t_6.extend((
                '<a href="',
                escape((undefined(name='address') if l_1_address is missing else l_1_address)),
                '" rel="noreferrer">',
                escape(l_1_path),
            ))
            if l_1_line:
                pass
                t_6.extend((
                    ':',
                    escape(l_1_line),
                ))
            t_6.append(
                '</a>',
            )
        elif l_1_path:
            pass
            t_6.append(
                escape(l_1_path),
            )
            if l_1_line:
                pass
                t_6.extend((
                    ':',
                    escape(l_1_line),
                ))
        return concat(t_6)
    context.exported_vars.add('place')
    context.vars['place'] = l_0_place = Macro(environment, macro, 'place', ('path', 'line'), False, False, False, context.eval_ctx.autoescape)
    yield '\n'
    def macro(l_1_text):
        t_7 = []
        if l_1_text is missing:
            l_1_text = undefined("parameter 'text' was not provided", name='text')
        pass
        for (l_2_said, l_2_line) in context.call(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'cited'), l_1_text):
            _loop_vars = {}
            pass
            if l_2_line:
                pass
                t_7.append(
                    escape(context.call((undefined(name='place') if l_0_place is missing else l_0_place), l_2_said, l_2_line, _loop_vars=_loop_vars)),
                )
            else:
                pass
                t_7.append(
                    escape(l_2_said),
                )
        l_2_said = l_2_line = missing
        return concat(t_7)
    context.exported_vars.add('cited')
    context.vars['cited'] = l_0_cited = Macro(environment, macro, 'cited', ('text',), False, False, False, context.eval_ctx.autoescape)
    yield '\n'
    def macro(l_1_said):
        t_8 = []
        l_1_at = missing
        if l_1_said is missing:
            l_1_said = undefined("parameter 'said' was not provided", name='said')
        pass
        l_1_at = context.call(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'place_of'), l_1_said)
        if (undefined(name='at') if l_1_at is missing else l_1_at):
            pass
            t_8.extend((
                ' <span class="soft">',
                escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), (undefined(name='at') if l_1_at is missing else l_1_at))),
                '</span>',
            ))
        return concat(t_8)
    context.exported_vars.add('declared')
    context.vars['declared'] = l_0_declared = Macro(environment, macro, 'declared', ('said',), False, False, False, context.eval_ctx.autoescape)
    yield '\n<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; style-src \'unsafe-inline\'; script-src \'unsafe-inline\'">\n<title>ML-Agent: '
    yield escape(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'id'))
    yield '</title>\n<style>\n:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --paper: #fff; --panel: #f4f5f7; --line: #d9dde3; --good: #116329; --bad: #9a3412; --add: #dafbe1; --cut: #ffebe9; --bar: #30638e; }\n@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa4af; --paper: #14171b; --panel: #1e2329; --line: #343b44; --good: #57c16d; --bad: #f0883e; --add: #12361f; --cut: #3d1a18; --bar: #6ba4d0; } }\n* { box-sizing: border-box; }\nbody { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }\nh1 { font-size: 1.25rem; margin: .5rem 0; } h2 { font-size: 1.05rem; margin: 1.8rem 0 .5rem; }\na { color: var(--bar); }\npre { background: var(--panel); padding: .7rem; border-radius: .3rem; white-space: pre-wrap; margin: .4rem 0; max-height: 30rem; overflow: auto; }\n.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }\nth { font-weight: 600; color: var(--soft); white-space: nowrap; } td.good, td.bad { overflow-wrap: normal; }\n.good { color: var(--good); } .bad { color: var(--bad); } .soft { color: var(--soft); } .lines { white-space: pre-line; }\n.badge { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid currentColor; font-weight: 600; }\ndetails { border: 1px solid var(--line); border-radius: .3rem; margin: .35rem 0; padding: .2rem .6rem; } summary { cursor: pointer; }\n.way { display: flex; flex-wrap: wrap; gap: .35rem; padding: 0; list-style: none; } .way li { background: var(--panel); border-radius: .3rem; padding: .25rem .55rem; max-width: 100%; }\n.add { background: var(--add); } .cut { background: var(--cut); text-decoration: line-through; } .diff { display: block; font-family: ui-monospace, monospace; font-size: .9em; } .diff.word { display: inline; margin-right: .45em; padding: 0 .15em; }\n.bar { height: .7rem; background: var(--bar); border-radius: .2rem; min-width: 2px; }\nimg { max-width: 100%; border: 1px solid var(--line); border-radius: .3rem; }\nbutton { font: inherit; padding: .15rem .6rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--panel); color: inherit; cursor: pointer; }\n</style>\n</head>\n<body>\n<header>\n<h1>'
    yield escape(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'instruction'))
    yield '</h1>\n<p><span class="badge '
    yield escape(('good' if (environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'exit_code') == 0) else 'bad'))
    yield '">'
    yield escape(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'ending'))
    yield '</span> '
    yield escape(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'message'))
    yield '</p>\n</header>\n\n'
    if (undefined(name='answer') if l_0_answer is missing else l_0_answer):
        pass
        yield '\n<section id="answer">\n<h2>Answer <span class="soft">('
        yield escape(environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'kind'))
        yield ', by '
        yield escape(environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'source'))
        yield ')</span></h2>\n<button type="button" data-copy="answer-text">copy</button>\n<pre id="answer-text">'
        yield escape(environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'text'))
        yield '</pre>\n'
        if environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'before'):
            pass
            yield '<p>Done before it ran; <code>reproduce.sh</code> does all of it:</p><pre>'
            for l_1_one in environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'before'):
                _loop_vars = {}
                pass
                yield escape(environment.getattr(l_1_one, 'command'))
                if environment.getattr(l_1_one, 'why'):
                    pass
                    yield '  # '
                    yield escape(environment.getattr(l_1_one, 'why'))
                yield '\n'
            l_1_one = missing
            yield '</pre>'
        yield '\n<div class="scroll"><table>\n'
        if environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'repository'):
            pass
            yield '<tr><th>run it in</th><td>'
            if environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'source'):
                pass
                yield '<a href="'
                yield escape(environment.getitem(context.call(environment.getattr(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'source'), 'rpartition'), '/blob/'), 0))
                yield '" rel="noreferrer">'
                yield escape(environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'repository'), 'name'))
                yield '</a>'
            else:
                pass
                yield escape(environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'repository'), 'name'))
            yield ' at '
            yield escape(environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'repository'), 'version'))
            yield ', folder <code>'
            yield escape(environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'workdir'))
            yield '</code></td></tr>'
        yield '\n<tr><th>seen to work</th><td>'
        yield escape(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'evidence'))
        if (environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'sandbox') and environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'sandbox'), 'name')):
            pass
            yield ', in '
            yield escape(environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'sandbox'), 'name'))
            if (not environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'sandbox'), 'isolated')):
                pass
                yield ' (not isolated)'
        yield '</td></tr>\n'
        if environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'confidence'):
            pass
            yield '<tr><th>confidence</th><td>'
            yield escape(t_1('%.2f', environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'confidence')))
            yield '</td></tr>'
        yield '\n'
        if environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'invented'):
            pass
            yield '<tr><th>to fill in</th><td>'
            yield escape(t_2(context.eval_ctx, environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'invented'), ', '))
            yield '</td></tr>'
        yield '\n'
        if environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'because'):
            pass
            yield '<tr><th>made from</th><td>'
            yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'because')))
            yield '</td></tr>'
        yield '\n</table></div>\n</section>\n'
    yield '\n\n'
    if environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'expectations'):
        pass
        yield '\n<section id="expectations">\n<h2>What should come out</h2>\n<div class="scroll"><table>\n'
        for l_1_one in environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'expectations'):
            _loop_vars = {}
            pass
            yield '<tr><td class="'
            yield escape(('good' if (environment.getattr(l_1_one, 'verdict') == 'delivered') else 'bad'))
            yield '">'
            yield escape((environment.getitem({'delivered': '✓', 'missing': '✗'}, environment.getattr(l_1_one, 'verdict')) or '?'))
            yield '</td><td><code>'
            yield escape((environment.getattr(l_1_one, 'path') or environment.getattr(l_1_one, 'kind')))
            yield '</code></td><td>'
            if (environment.getattr(l_1_one, 'found') in environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'outputs')):
                pass
                yield '<a href="outputs/'
                yield escape(t_4(environment.getattr(l_1_one, 'found')))
                yield '">'
                yield escape(environment.getattr(l_1_one, 'said'))
                yield '</a>'
            else:
                pass
                yield escape(environment.getattr(l_1_one, 'said'))
            yield '</td></tr>\n'
        l_1_one = missing
        yield '</table></div>\n</section>\n'
    yield '\n\n'
    if ((undefined(name='answer') if l_0_answer is missing else l_0_answer) and environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'ledger')):
        pass
        yield '\n<section id="values">\n<h2>What became of your values</h2>\n<div class="scroll"><table>\n<tr><th>you wrote</th><th>value</th><th>status</th><th>where</th></tr>\n'
        for l_1_entry in environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'ledger'):
            _loop_vars = {}
            pass
            yield '<tr><td>'
            yield escape(environment.getattr(l_1_entry, 'text'))
            yield '</td><td>'
            yield escape(environment.getattr(l_1_entry, 'value'))
            yield '</td><td class="'
            yield escape(('bad' if (environment.getattr(l_1_entry, 'status') == 'not found') else 'good'))
            yield '">'
            yield escape(environment.getattr(l_1_entry, 'status'))
            yield '</td><td><code>'
            yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), environment.getattr(l_1_entry, 'where'), _loop_vars=_loop_vars))
            yield '</code>'
            yield escape(context.call((undefined(name='declared') if l_0_declared is missing else l_0_declared), environment.getattr(l_1_entry, 'where'), _loop_vars=_loop_vars))
            yield '</td></tr>\n'
        l_1_entry = missing
        yield '</table></div>\n</section>\n'
    yield '\n'
    if environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'unasked'):
        pass
        yield '\n<section id="unasked">\n<h2>Set, though nobody asked for it</h2>\n<ul>'
        for l_1_line in environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'unasked'):
            _loop_vars = {}
            pass
            yield '<li>'
            yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), l_1_line, _loop_vars=_loop_vars))
            yield escape(context.call((undefined(name='declared') if l_0_declared is missing else l_0_declared), l_1_line, _loop_vars=_loop_vars))
            yield '</li>'
        l_1_line = missing
        yield '</ul>\n</section>\n'
    yield '\n'
    if ((undefined(name='answer') if l_0_answer is missing else l_0_answer) and environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'findings')):
        pass
        yield '\n<section id="findings">\n<h2>Findings</h2>\n<ul>'
        for l_1_finding in environment.getattr((undefined(name='answer') if l_0_answer is missing else l_0_answer), 'findings'):
            _loop_vars = {}
            pass
            yield '<li class="'
            yield escape(('bad' if (environment.getattr(l_1_finding, 'severity') == 'error') else 'soft'))
            yield '">'
            yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), environment.getattr(l_1_finding, 'message'), _loop_vars=_loop_vars))
            if environment.getattr(l_1_finding, 'suggestion'):
                pass
                yield ' (did you mean '
                yield escape(environment.getattr(l_1_finding, 'suggestion'))
                yield '?)'
            yield ' '
            yield escape(context.call((undefined(name='place') if l_0_place is missing else l_0_place), environment.getattr(l_1_finding, 'path'), environment.getattr(l_1_finding, 'line'), _loop_vars=_loop_vars))
            yield '</li>'
        l_1_finding = missing
        yield '</ul>\n</section>\n'
    yield '\n\n<section id="way">\n<h2>The way through</h2>\n<ol class="way">'
    for l_1_phase in environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'phases'):
        _loop_vars = {}
        pass
        yield '<li title="'
        yield escape(environment.getattr(l_1_phase, 'note'))
        yield '"><b>'
        yield escape(environment.getattr(l_1_phase, 'name'))
        yield '</b> <span class="soft">'
        yield escape(t_1('%.2f', environment.getattr(l_1_phase, 'seconds')))
        yield ' s</span></li>'
    l_1_phase = missing
    yield '</ol>\n<details><summary>what each phase found</summary><div class="scroll"><table>\n'
    for l_1_phase in environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'phases'):
        _loop_vars = {}
        pass
        yield '<tr><td><b>'
        yield escape(environment.getattr(l_1_phase, 'name'))
        yield '</b></td><td class="lines">'
        yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), environment.getattr(l_1_phase, 'note'), _loop_vars=_loop_vars))
        yield '</td><td class="soft">'
        yield escape(environment.getattr(l_1_phase, 'goes_to'))
        yield '</td></tr>\n'
    l_1_phase = missing
    yield '</table></div></details>\n'
    for l_1_notice in environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'notices'):
        _loop_vars = {}
        pass
        yield '<p class="bad">'
        yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), l_1_notice, _loop_vars=_loop_vars))
        yield '</p>'
    l_1_notice = missing
    yield '\n</section>\n\n'
    if environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'drafts'):
        pass
        yield '\n<section id="drafts">\n<h2>Drafts</h2>\n'
        l_1_loop = missing
        for l_1_draft, l_1_loop in LoopContext(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'drafts'), undefined):
            l_1_words = resolve('words')
            _loop_vars = {}
            pass
            yield '\n<details'
            if environment.getattr(l_1_loop, 'last'):
                pass
                yield ' open'
            yield '><summary>'
            yield escape(environment.getattr(l_1_draft, 'number'))
            yield '. '
            yield escape(environment.getattr(l_1_draft, 'kind'))
            yield ' <span class="soft">'
            yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), environment.getattr(l_1_draft, 'because'), _loop_vars=_loop_vars))
            yield '</span></summary>\n'
            if environment.getattr(l_1_draft, 'changes'):
                pass
                yield '<p>'
                l_1_words = ('\n' not in environment.getattr(l_1_draft, 'text'))
                _loop_vars['words'] = l_1_words
                for (l_2_mark, l_2_line) in environment.getattr(l_1_draft, 'changes'):
                    _loop_vars = {}
                    pass
                    yield '<span class="diff'
                    yield escape((' word' if (undefined(name='words') if l_1_words is missing else l_1_words) else cond_expr_undefined("the inline if-expression on line 100 in 'report.html.j2' evaluated to false and no else section was defined.")))
                    yield escape((' add' if (l_2_mark == '+') else (' cut' if (l_2_mark == '-') else cond_expr_undefined("the inline if-expression on line 100 in 'report.html.j2' evaluated to false and no else section was defined."))))
                    yield '">'
                    yield escape(l_2_line)
                    yield '</span>'
                l_2_mark = l_2_line = missing
                yield '</p>'
            else:
                pass
                yield '<pre>'
                yield escape(environment.getattr(l_1_draft, 'text'))
                yield '</pre>'
            yield '\n'
            if environment.getattr(l_1_draft, 'problem'):
                pass
                yield '<pre class="soft">'
                yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), environment.getattr(l_1_draft, 'problem'), _loop_vars=_loop_vars))
                yield '</pre>'
            yield '\n'
            for l_2_finding in environment.getattr(l_1_draft, 'findings'):
                _loop_vars = {}
                pass
                yield '<p class="'
                yield escape(('bad' if (environment.getattr(l_2_finding, 'severity') == 'error') else 'soft'))
                yield '">'
                yield escape(context.call((undefined(name='cited') if l_0_cited is missing else l_0_cited), environment.getattr(l_2_finding, 'message'), _loop_vars=_loop_vars))
                yield ' '
                yield escape(context.call((undefined(name='place') if l_0_place is missing else l_0_place), environment.getattr(l_2_finding, 'path'), environment.getattr(l_2_finding, 'line'), _loop_vars=_loop_vars))
                yield '</p>'
            l_2_finding = missing
            yield '\n</details>\n'
        l_1_loop = l_1_draft = l_1_words = missing
        yield '\n</section>\n'
    yield '\n\n'
    if environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'calls'):
        pass
        yield '\n<section id="conversation">\n<h2>Conversation with the model <span class="soft">('
        yield escape(t_3(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'calls')))
        yield ' requests)</span></h2>\n'
        l_1_loop = missing
        for l_1_call, l_1_loop in LoopContext(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'calls'), undefined):
            _loop_vars = {}
            pass
            yield '\n<details><summary>'
            yield escape(environment.getattr(l_1_loop, 'index'))
            yield '. '
            yield escape(environment.getattr(l_1_call, 'phase'))
            yield ' <span class="soft">'
            yield escape(environment.getattr(l_1_call, 'prompt_tokens'))
            yield ' + '
            yield escape(environment.getattr(l_1_call, 'completion_tokens'))
            yield ' tokens, '
            yield escape(t_1('%.1f', environment.getattr(l_1_call, 'seconds')))
            yield ' s</span></summary>\n'
            for (l_2_role, l_2_text) in environment.getattr(l_1_call, 'messages'):
                _loop_vars = {}
                pass
                yield '<p class="soft">'
                yield escape(l_2_role)
                yield '</p><pre>'
                yield escape(l_2_text)
                yield '</pre>'
            l_2_role = l_2_text = missing
            yield '</details>\n'
        l_1_loop = l_1_call = missing
        yield '\n</section>\n'
    yield '\n\n'
    if ((environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'setup') or (undefined(name='log') if l_0_log is missing else l_0_log)) or environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'diagnoses')):
        pass
        yield '\n<section id="sandbox">\n<h2>Sandbox</h2>\n'
        if environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'setup'):
            pass
            yield '<details><summary>set-up ('
            yield escape(t_3(environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'setup')))
            yield ' steps)</summary><pre>'
            yield escape(t_2(context.eval_ctx, environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'setup'), '\n'))
            yield '</pre></details>'
        yield '\n'
        for l_1_diagnosis in environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'diagnoses'):
            _loop_vars = {}
            pass
            yield '<p class="bad">'
            yield escape(environment.getattr(l_1_diagnosis, 'code'))
            yield ': '
            yield escape(environment.getattr(l_1_diagnosis, 'message'))
            yield '</p>'
        l_1_diagnosis = missing
        yield '\n'
        if (undefined(name='log') if l_0_log is missing else l_0_log):
            pass
            yield '<details open><summary>what the program printed last</summary><pre>'
            yield escape((undefined(name='log') if l_0_log is missing else l_0_log))
            yield '</pre></details>'
        yield '\n'
        for l_1_name in (undefined(name='logs') if l_0_logs is missing else l_0_logs):
            _loop_vars = {}
            pass
            yield '<a href="logs/'
            yield escape(t_4(l_1_name))
            yield '">'
            yield escape(l_1_name)
            yield '</a> '
        l_1_name = missing
        yield '\n</section>\n'
    yield '\n\n'
    if (undefined(name='outputs') if l_0_outputs is missing else l_0_outputs):
        pass
        yield '\n<section id="outputs">\n<h2>Outputs</h2>\n'
        for l_1_output in (undefined(name='outputs') if l_0_outputs is missing else l_0_outputs):
            _loop_vars = {}
            pass
            yield '\n<details'
            if (environment.getattr(l_1_output, 'kind') == 'picture'):
                pass
                yield ' open'
            yield '><summary><a href="'
            yield escape(t_4(environment.getattr(l_1_output, 'path')))
            yield '">'
            yield escape(environment.getattr(l_1_output, 'path'))
            yield '</a> <span class="soft">'
            yield escape(environment.getattr(l_1_output, 'size'))
            yield ' bytes</span></summary>\n'
            if (environment.getattr(l_1_output, 'kind') == 'picture'):
                pass
                yield '<img src="'
                yield escape(environment.getattr(l_1_output, 'picture'))
                yield '" alt="'
                yield escape(environment.getattr(l_1_output, 'path'))
                yield '">'
            elif (environment.getattr(l_1_output, 'kind') == 'table'):
                pass
                yield '<div class="scroll"><table>'
                for l_2_row in environment.getattr(l_1_output, 'rows'):
                    _loop_vars = {}
                    pass
                    yield '<tr>'
                    for l_3_cell in l_2_row:
                        _loop_vars = {}
                        pass
                        yield '<td>'
                        yield escape(l_3_cell)
                        yield '</td>'
                    l_3_cell = missing
                    yield '</tr>'
                l_2_row = missing
                yield '</table></div>'
            elif (environment.getattr(l_1_output, 'kind') == 'text'):
                pass
                yield '<pre>'
                yield escape(environment.getattr(l_1_output, 'text'))
                yield '</pre>'
            yield '\n</details>\n'
        l_1_output = missing
        yield '\n</section>\n'
    yield '\n\n<section id="cost">\n<h2>Cost</h2>\n<div class="scroll"><table>\n<tr><th>phase</th><th>seconds</th><th></th><th>requests</th><th>tokens</th></tr>\n'
    for l_1_cost in environment.getattr((undefined(name='page') if l_0_page is missing else l_0_page), 'costs'):
        _loop_vars = {}
        pass
        yield '<tr><td>'
        yield escape(environment.getattr(l_1_cost, 'phase'))
        yield '</td><td>'
        yield escape(t_1('%.2f', environment.getattr(l_1_cost, 'seconds')))
        yield '</td><td style="width:35%"><div class="bar" style="width:'
        yield escape(t_1('%.1f', (100 * environment.getattr(l_1_cost, 'share'))))
        yield '%"></div></td><td>'
        yield escape((environment.getattr(l_1_cost, 'calls') or ''))
        yield '</td><td>'
        yield escape((environment.getattr(l_1_cost, 'tokens') or ''))
        yield '</td></tr>\n'
    l_1_cost = missing
    yield '\n<tr><th>all</th><td>'
    yield escape(t_1('%.2f', environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'budget'), 'seconds')))
    yield '</td><td></td><td>'
    yield escape(environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'budget'), 'calls'))
    yield '</td><td>'
    yield escape((environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'budget'), 'prompt_tokens') + environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'budget'), 'completion_tokens')))
    yield '</td></tr>\n<tr><th>USD</th><td colspan="4">'
    yield escape((environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'usd') if (not t_5(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'usd'))) else 'unknown'))
    yield '</td></tr>\n</table></div>\n</section>\n\n<section id="files">\n<h2>Do it again</h2>\n<p>'
    for l_1_name in (undefined(name='files') if l_0_files is missing else l_0_files):
        _loop_vars = {}
        pass
        yield '<a href="'
        yield escape(l_1_name)
        yield '">'
        yield escape(l_1_name)
        yield '</a> '
    l_1_name = missing
    yield '</p>\n'
    if ('reproduce.sh' in (undefined(name='files') if l_0_files is missing else l_0_files)):
        pass
        yield "<p>In the run's folder, from the repository to the program's end:</p><pre>bash reproduce.sh</pre>"
    yield '\n<p>Go on with this run where it was cut; a finished one is told again:</p><pre>ml-agent resume '
    yield escape((undefined(name='run') if l_0_run is missing else l_0_run))
    yield '</pre>\n<p class="soft">'
    for (l_1_name, l_1_version) in context.call(environment.getattr(environment.getattr((undefined(name='result') if l_0_result is missing else l_0_result), 'versions'), 'items')):
        _loop_vars = {}
        pass
        yield escape(l_1_name)
        yield ' '
        yield escape(l_1_version)
        yield ' '
    l_1_name = l_1_version = missing
    yield '</p>\n</section>\n<script>\nfor (const button of document.querySelectorAll("[data-copy]"))\n  button.addEventListener("click", () => navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent));\n</script>\n</body>\n</html>'

blocks = {}
debug_info = '1=48&2=55&3=96&4=119&11=137&34=139&35=141&38=147&40=150&42=154&43=156&46=171&47=190&48=199&49=205&50=211&55=218&59=221&64=245&69=248&73=267&76=270&79=280&82=283&88=301&90=313&92=325&95=333&98=337&99=342&100=352&101=374&102=380&108=395&110=398&111=401&112=405&113=415&118=428&121=431&122=439&123=449&124=455&128=466&131=469&132=473&133=483&143=516&145=532&146=538&152=540&153=550&154=554&155=556'
