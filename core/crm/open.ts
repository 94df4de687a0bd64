import { type Env, SettingError } from '../../config/env.ts';
import { civiCrm } from './civicrm.ts';
import type { Crm } from './crm.ts';
import { httpCrm } from './http-crm.ts';
import type { JsonApiSettings } from './json-api.ts';

export type System = 'crm' | 'partner';

/**
 * The external system the settings name, or null when there is none.
 * @param signal ends requests under way
 * @throws SettingError when its address is missing
 */
export function openCrm(env: Env, system: System, signal?: AbortSignal): Crm | null {
  const [kind, baseUrl, token] =
    system === 'crm' ? [env.CRM_KIND, env.CRM_URL, env.CRM_TOKEN] : [env.PARTNER_KIND, env.PARTNER_URL, env.PARTNER_TOKEN];
  if (kind === 'none') return null;
  if (!baseUrl) throw new SettingError(`${system.toUpperCase()}_URL is missing: ${system.toUpperCase()}_KIND is ${kind}`);
  const api: JsonApiSettings = {
    baseUrl,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    timeoutMs: env.CRM_TIMEOUT_MS,
    bodyLimit: env.CRM_BODY_LIMIT,
    ...(signal && { signal }),
  };
  return kind === 'civicrm' ? civiCrm(api) : httpCrm(api);
}
