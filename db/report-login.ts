import { createHmac } from 'node:crypto';
import { connectionTo } from './connection.ts';

// How ad-hoc SQL logs in; the wall itself is made in report-role.ts, which knows every table and is loaded by few.

export interface ReportSettings {
  DATABASE_URL?: string;
  REPORT_DATABASE_URL?: string;
  SECRET_KEY: string;
  STATEMENT_TIMEOUT_MS: number;
}

/** The restricted role's name where no setting brings another. */
export const REPORT_ROLE = 'campaign_report';

/**
 * The address ad-hoc SQL is run at: REPORT_DATABASE_URL, else DATABASE_URL with the role and password `ensureReportRole` makes.
 * @throws SettingError for a REPORT_DATABASE_URL that leads nowhere
 */
export function reportDatabaseUrl(settings: ReportSettings): string {
  if (settings.REPORT_DATABASE_URL) {
    connectionTo(settings.REPORT_DATABASE_URL, 'REPORT_DATABASE_URL');
    return settings.REPORT_DATABASE_URL;
  }
  if (!settings.DATABASE_URL) throw new Error('Neither REPORT_DATABASE_URL nor DATABASE_URL is set');
  const url = new URL(settings.DATABASE_URL);
  url.username = REPORT_ROLE;
  url.password = rolePassword(settings);
  return url.href;
}

/** The password `ensureReportRole` gives it. */
export const rolePassword = ({ SECRET_KEY }: ReportSettings): string =>
  createHmac('sha256', SECRET_KEY).update('report-role').digest('base64url');
