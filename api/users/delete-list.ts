import type { FastifyInstance } from 'fastify';
import { deleteList } from '../../core/people/list-deletion.ts';
import { uriOf } from '../../domain/uris.ts';
import { ListDeletion } from '../../entities/people/list.ts';
import { startOf, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON, empty, withLocation } from '../resource/answers.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { startSoon } from './start-soon.ts';

export const listdeletion = resource({
  name: 'listdeletion',
  about: 'that a list with very many people is being deleted, or was',
  area: 'Users',
  entity: ListDeletion,
  fields: {
    list: { to: 'list', help: 'URI of the list, which is gone when this is complete.' },
    people: { help: 'How many were on it when it was asked for.' },
    removed: { help: 'How many have been taken off it.' },
    errors: { kind: 'list', help: 'Why it failed.' },
  },
  filtering: { id: SINCE, list: EXACT, status: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get'],
  permission: 'list',
  job: { run: workflowId.deleteList, over: ({ status }) => status !== 'pending' },
});

/** `DELETE /rest/v1/list/{id}/`: at once, or by a run where very many are on it. */
export function registerListDeletion(app: FastifyInstance, context: ApiContext): void {
  const schema = {
    tags: ['Users'],
    summary: 'Delete: a list people subscribe to',
    params: ID_PARAMETER,
    response: {
      204: empty('Deleted.'),
      202: withLocation('Very many are on it: it is being deleted, and the listdeletion at Location says how far that is.'),
      404: empty('Absent.'),
      ...COMMON,
    },
  };
  app.delete('/rest/v1/list/:id/', { ...requires('list:delete', { resource: 'list' }), schema }, async (request, reply) => {
    const jobId = await inTransaction(context, (_em, sql) => deleteList(sql, idOf(request)));
    if (jobId === null) return reply.code(204).send();
    await startSoon(context, request.log, startOf('deleteList', { jobId }));
    return reply
      .code(202)
      .header('location', context.env.BASE_URL + uriOf('listdeletion', jobId))
      .send();
  });
}
