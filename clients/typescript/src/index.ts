export { CampaignClient, type Created, type Page, type PollDocument } from './client.ts';
export { ApiError, NoAnswerError, UncertainError } from './errors.ts';
export type { Answer, ClientOptions } from './requests.ts';
export type * from './schemas.ts';
