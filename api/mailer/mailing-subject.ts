import { addSubject } from '../../core/mailings/add-subject.ts';
import { MailingSubject } from '../../entities/mailings/mailing.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { inputContext } from './input-context.ts';

/** The subjects of mailings one by one: clients that make a mailing at the low-level resource give it its subject here. */
export const mailingsubject = resource({
  name: 'mailingsubject',
  about: 'one subject of a mailing; all of them are changed at the mailing',
  area: 'Mailer',
  permission: 'mailer',
  entity: MailingSubject,
  inside: ['position'],
  methods: ['list', 'get', 'create'],
  fields: {
    mailing: { to: 'mailing', help: 'The mailing; a new subject stands behind those it has.' },
    text: {
      required: true,
      check: (text: string) => (text.trim() === '' ? 'must not be blank' : undefined),
      help: 'A template, of one line.',
    },
    preview_text: { help: 'What mail programs show beside it.' },
  },
  filtering: { id: SINCE, mailing: EXACT },
  ordering: [],
  hooks: {
    create: async (change) => {
      change.id = await addSubject(
        change.values['mailing'] as number,
        given(change),
        inputContext(change.context, change.sql, change.request),
      );
    },
  },
});

const given = ({ values }: Change) => ({
  text: values['text'] as string,
  previewText: (values['previewText'] as string | undefined) ?? '',
});
