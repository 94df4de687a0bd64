// A newsletter as people really send them: nested tables, inline styles, pictures, buttons, conditional parts, letters of several scripts, lines
// far longer than a mail may have. About 60 KB.

const TOPICS = [
  ['The river bill', 'Twelve towns drink from it. The bill that keeps its banks unbuilt has its second reading on Thursday.'],
  ['Night trains', 'From Köln to Kraków in one sleep: the ministers meet in São Tomé de Meliapor to talk about who pays.'],
  ['School kitchens', 'A warm meal for 1,200 children costs less than the new car park. We did the sums – “twice”, as Zoë says.'],
  ['Bees & hedges', 'Every mile of hedge that stays is a mile of food. 85 % of you said so; now the council has to.'],
  ['Libraries', 'Открыто: the reading room on Mill Street opens again, from nine to nine, 図書館 for everybody.'],
  ['Streetlights', 'Dark streets were the first thing you wrote to us about. Here is what became of all 4,312 letters.'],
];

/** Padding as layout tools leave it behind. */
const SPACER = '<td style="padding:0;margin:0;font-size:0;line-height:0;mso-line-height-rule:exactly" width="10">&nbsp;</td>';

const paragraph = (text: string, n: number) =>
  `<p style="margin:0 0 14px 0;font-family:Georgia,'Times New Roman',serif;font-size:16px;line-height:24px;color:#22313f">${n}. ${text} ` +
  `${'We go there, we listen, we write down what people tell us, and we bring it to those who decide. '.repeat(5)}</p>`;

function article([title, text]: string[], n: number, pictures: string): string {
  const slug = encodeURIComponent(title!.toLowerCase());
  return `
  <!-- article ${n} -->
  <tr>${SPACER}<td style="padding:18px 10px;border-bottom:1px solid #d5dbe0">
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
      <td width="180" valign="top"><a href="https://news.example/${n}?utm_source=mail&amp;utm_campaign=may"><img src="${pictures}/picture-${n}.svg" width="170" height="110" alt="${title}" style="display:block;border:0"></a></td>
      <td valign="top">
        <h2 style="margin:0 0 8px 0;font-family:Helvetica,Arial,sans-serif;font-size:20px;color:#13547a">${title}</h2>
        ${[1, 2, 3].map((each) => paragraph(text!, each)).join('')}
        <table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor="#c0392b" style="border-radius:4px"><a href="https://news.example/act/${slug}/?akid={{ akid }}#sign" style="display:inline-block;padding:10px 18px;color:#ffffff;text-decoration:none">Sign “${title}”</a></td></tr></table>
      </td></tr></table>
  </td>${SPACER}</tr>`;
}

/** @param pictures address the pictures are at, without a trailing slash */
export function newsletterHtml(pictures: string): string {
  const filler = [1, 2, 3].flatMap(() => TOPICS);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The month in the valley</title>
<style>body{margin:0;background:#eef2f5} @media (max-width:480px){.wide{display:none}} a{color:#13547a}</style></head>
<body>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#eef2f5"><tr><td align="center">
<table role="presentation" width="640" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="max-width:640px">
  <tr><td colspan="3"><img src="${pictures}/masthead.svg" width="640" height="120" alt="The month in the valley" style="display:block"></td></tr>
  <tr>${SPACER}<td style="padding:16px 10px"><h1 style="font-family:Helvetica,Arial,sans-serif;color:#13547a">Dear {{ user.first_name|capfirst|default:"friend" }},</h1>
  {% if user.state == "NY" %}<p id="where">New York, {{ user.city|default:"the whole of it" }}: your senators vote on Thursday.</p>{% elif user.state %}<p id="where">Hello to {{ user.state }}!</p>{% else %}<p id="where">Wherever you are: hello.</p>{% endif %}
  {% if user.fields.pets %}<ul id="pets">{% for pet in user.fields.pets %}<li>{{ forloop.counter }}: {{ pet }}</li>{% endfor %}</ul>{% endif %}
  <p>{% report "signed" %} of you have signed. Not yet? <a href="https://news.example/sign?list=a&amp;b=%C3%BC">Sign here</a> or <a href="mailto:us@news.example">write to us</a>.</p>
  {% include "button" with label="Give now" %}
  {% comment %}<a href="https://never.example/">not to be sent</a>{% endcomment %}</td>${SPACER}</tr>
${filler.map((topic, n) => article(topic, n + 1, pictures)).join('\n')}
  <tr><td colspan="3" style="padding:12px;font-size:12px;font-family:Helvetica,Arial,sans-serif">You get this at {{ user.email }}. <a href="{{ view_link }}">Read it on the web</a> · <a href="{{ unsubscribe_link }}">Unsubscribe</a></td></tr>
</table></td></tr></table>
</body></html>
`;
}

export const BUTTON = {
  name: 'button',
  html: '<p><a href="https://give.example/{{ mailing_fields.form }}" style="font-weight:bold">{{ label }}</a> <a href="https://give.example/about">About</a></p>',
  text: '',
};

/** A picture that says what it is. */
export const pictureOf = (name: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="120" viewBox="0 0 640 120" preserveAspectRatio="none"><rect width="640" height="120" fill="#${(name.length * 1234567).toString(16).padStart(6, '4').slice(0, 6)}"/><circle cx="320" cy="60" r="40" fill="#fff" opacity=".6"/></svg>`;
