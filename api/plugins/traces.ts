import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** One span for each request, named by its route: never by its query or body, which hold people's addresses. What a handler starts hangs under it. */
export function installTraces(app: FastifyInstance): void {
  const tracer = trace.getTracer('campaign-platform');
  const spans = new WeakMap<FastifyRequest, Span>();

  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    spans.set(request, tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, caller));
    done();
  });
  // Entered here, not above: a body arrives in events of the socket, which know nothing of the request's context.
  app.addHook('preHandler', (request, _reply, done) => {
    context.with(trace.setSpan(ROOT_CONTEXT, spans.get(request)!), done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)!;
    span.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    done();
  });
}
