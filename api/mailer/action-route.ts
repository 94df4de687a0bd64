import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { ID_PARAMETER } from '../resource/routes.ts';
import { requires } from '../route-options.ts';

/**
 * Options of a route below one mailing.
 * @param permission grant it needs
 * @param answers by status, beside the common ones
 * @param forms whether the body may be a form as well: parameters of single values
 */
export function mailingRoute(
  permission: string,
  summary: string,
  answers: Record<number, object>,
  { forms = false, ...more }: { forms?: boolean; [keyword: string]: unknown } = {},
) {
  const response = { 404: empty('Absent.'), ...COMMON, ...answers };
  const consumes = forms ? { consumes: ['application/json', 'application/x-www-form-urlencoded'] } : {};
  return {
    ...requires(permission, { forms }),
    schema: { tags: ['Mailer'], summary, params: ID_PARAMETER, response, ...consumes, ...more },
  };
}

export const REFUSED = errorsBody('It cannot be done now, or the input cannot be used.');

/**
 * A body that may hold these fields alone, or be left out: whoever sends another expects it to have an effect.
 * @param required those of them that have to be there
 */
export const onlyFields = (properties: object, required: string[] = []) => ({
  type: ['object', 'null'],
  ...(required.length > 0 && { required }),
  properties,
  additionalProperties: false,
});

/** Of requests whose address says it all. */
export const NO_FIELDS = onlyFields({});
