import { type Html, html } from '../html.ts';

/**
 * Where the mail is seen as it is written: as whom, which subject, which part, how wide. Without scripts by a press of the button.
 * @param subjects there is room for; the script leaves those that are written
 */
export function previewPart(action: string, subjects: number): Html {
  return html`<div class="previewed"><div class="asked"><div><label for="preview-who">As</label><input id="preview-who" name="preview_who" placeholder="first of the audience" spellcheck="false" autocapitalize="none" autocomplete="off"></div>
<div><label for="preview-subject">Subject</label><select id="preview-subject" name="preview_subject">${Array.from({ length: subjects }, (_, n) => html`<option value="${n}">${n + 1}</option>`)}</select></div>
<div><label for="preview-part">Part</label><select id="preview-part" name="preview_part"><option value="html">HTML</option><option value="text">Text</option></select></div>
<button class="quiet" formaction="${action}" formtarget="preview" formnovalidate>Preview</button></div>
<div class="widths" role="group" aria-label="Width of the preview"><button type="button" class="quiet" data-preview-width="wide" aria-pressed="true">Wide</button><button type="button" class="quiet" data-preview-width="phone" aria-pressed="false">Phone</button></div>
<div class="stage"><iframe sandbox name="preview" title="Preview of the mail" referrerpolicy="no-referrer"></iframe></div></div>`;
}
