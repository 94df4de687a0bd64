import { uriOf } from '../../domain/uris.ts';
import { addressFor } from '../../domain/web-address.ts';
import type { ProcessedAction } from './process.ts';

/**
 * Where somebody is led after an action: what the page says, else a page of ours, with what clients' own pages read there: the action, the akid it is
 * answered with, `ar=1` (there was an action) and `rd=1` (they were led here).
 * @param akid as answered, which is no other than the caller sent unless it merely names
 */
export function redirectAfter(baseUrl: string, { actionId, page }: Pick<ProcessedAction, 'actionId' | 'page'>, akid: string): string {
  const led = addressFor(page.leadsTo, { akid, 'action.id': actionId, 'page.name': page.name });
  const [address = '', ...fragment] = (led || ownPage(baseUrl, page)).split('#');
  const told = new URLSearchParams({ action_id: String(actionId), akid, ar: '1', rd: '1' });
  const mark = address.includes('?') ? '&' : '?';
  return `${address}${mark}${told}${fragment.length > 0 ? `#${fragment.join('#')}` : ''}`;
}

function ownPage(baseUrl: string, { type, name }: ProcessedAction['page']): string {
  const path = `/${encodeURIComponent(name)}/`;
  return type === 'whipcount' ? `${baseUrl}/whipcount${path}?thanks=1` : `${baseUrl}/thanks${path}`;
}

/** URI of an action under the name of its type. */
export const actionUri = ({ actionId, page }: Pick<ProcessedAction, 'actionId' | 'page'>): string => uriOf(`${page.type}action`, actionId);
