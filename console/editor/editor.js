import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { EditorState, StateEffect } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { templateMarks } from './template-marks.js';

// Fields for HTML and templates as editors: the language is coloured, and what the server finds wrong stands at its line. The field stays what is sent, and what others
// read; without this script it is what is written in.

/** A pause after which what is written is looked at. */
const PAUSE_MS = 900;

const form = document.querySelector('form[data-problems]');
/** The policy of the page names it: styles of the editor are put in by script. */
const { nonce } = document.querySelector('script[nonce]');

let asked;
/** What is wrong with the form, by field; asked once for all editors on it. */
function problemsNow() {
  const sent = new URLSearchParams(new FormData(form));
  // A save changes it, and nothing that may be wrong.
  const written = new URLSearchParams([...sent].filter(([name]) => name !== 'version'));
  if (asked?.written !== String(written)) asked = { written: String(written), answer: ask(sent) };
  return asked.answer;
}

async function ask(sent) {
  const answer = await fetch(form.dataset.problems, { method: 'POST', body: sent }).catch(() => null);
  if (answer?.ok) return answer.json();
  asked = undefined;
  return {};
}

/** To look anew, though nothing was written into this editor. */
const lookAgain = StateEffect.define();
const isToLookAgain = ({ transactions }) => transactions.some(({ effects }) => effects.some((effect) => effect.is(lookAgain)));

/** Where a message says it is: to the end of the words it names there. Nowhere in particular: the first line. */
function placed(doc, message) {
  const [, line, column = 1, words = ''] = /line (\d+), column (\d+)(?:, at “(.*?)…?”)?/s.exec(message) ?? [0, 1];
  const { from, to } = doc.line(Math.min(Number(line), doc.lines));
  const begin = Math.min(from + Number(column) - 1, to);
  return { from: begin, to: words ? Math.min(begin + words.length, doc.length) : to, severity: 'error', message };
}

function editorOf(field) {
  const label = form.querySelector(`label[for="${field.id}"]`);
  const said = document.getElementById(`${field.id}-found`);
  label.id = `${field.id}-label`;
  label.removeAttribute('for');

  const look = linter(
    async ({ state: { doc } }) => {
      const messages = (await problemsNow())[field.name] ?? [];
      said.textContent = messages.join(' ');
      field.setAttribute('aria-invalid', messages.length > 0);
      view.contentDOM.setAttribute('aria-invalid', messages.length > 0);
      return messages.map((message) => placed(doc, message));
    },
    { delay: PAUSE_MS, needsRefresh: isToLookAgain },
  );

  const view = new EditorView({
    state: EditorState.create({
      doc: field.value,
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorState.allowMultipleSelections.of(true),
        lineNumbers(),
        lintGutter(),
        look,
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        field.dataset.editor === 'html' ? html({ autoCloseTags: false }) : [],
        syntaxHighlighting(classHighlighter),
        templateMarks,
        EditorView.contentAttributes.of({
          // It is reached by Tab without; that what scrolls around it is reached with it must be said.
          tabindex: '0',
          'aria-labelledby': label.id,
          'aria-describedby': [`${field.id}-keys`, said.id, field.getAttribute('aria-describedby')].filter(Boolean).join(' '),
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return;
          field.value = state.doc.toString();
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }),
      ],
    }),
  });
  view.dom.dataset.field = field.name;
  view.contentDOM.setAttribute('aria-invalid', field.getAttribute('aria-invalid') ?? false);
  // Who has begun to write goes on at the same place.
  const [writing, at] = [document.activeElement === field, field.selectionStart];
  field.before(view.dom);
  field.hidden = true;
  if (writing) {
    view.dispatch({ selection: { anchor: at } });
    view.focus();
  }
  label.addEventListener('click', () => view.focus());
  // What is picked beside the field is put in at the cursor.
  field.addEventListener('insert', (event) => {
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.detail), { scrollIntoView: true });
    view.focus();
  });
  // A problem of one field may come of another: a subject, a wrapper.
  form.addEventListener('change', () => view.dispatch({ effects: lookAgain.of(null) }));
}

for (const field of form.querySelectorAll('textarea[data-editor]')) editorOf(field);
document.documentElement.classList.add('editing');
