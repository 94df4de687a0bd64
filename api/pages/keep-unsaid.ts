import { changedPageFields } from '../../core/pages/page-fields.ts';
import { withoutNulls } from '../../domain/values.ts';
import type { Change } from '../resource/declare.ts';

/**
 * What a change of a page leaves. A PUT that says null of the list leaves it, as null of tags and fields is left; PATCH takes the list away. Custom fields that
 * are not named stay, as a person's do: clients send the one they are about.
 * @throws InputError
 */
export async function keepUnsaid({ request, sql, id, values }: Change): Promise<void> {
  if (request.method === 'PUT' && values['list'] === null) delete values['list'];
  const { fields } = values;
  if (fields) values['fields'] = await changedPageFields(sql, id, fields as Record<string, unknown>);
}

/** A new page has no custom field that null is said of, as one that is changed has none. */
export function leaveOutNulls({ values }: Change): void {
  if (values['fields']) values['fields'] = withoutNulls(values['fields'] as Record<string, unknown>);
}
