import { EgressError, type EgressErrorCode, type EgressResponse, OutsideClient } from '@crm/egress';
import { renderHeader, renderTemplate, renderUrl, renderValue, type TemplateData, TemplateError } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import type { Action } from '../workflow/workflow-definition.js';
import { StepError } from './step-error.js';

type HttpRequest = Extract<Action, { type: 'http_request' }>;

/** Bytes of an answer that are kept for later steps. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** Failures that stay the same when the request is repeated. */
const LASTING: readonly EgressErrorCode[] = ['blocked', 'tls', 'too_large', 'http_protocol'];

/** Calls addresses outside the platform for workflows. */
@Injectable()
export class HttpRequestService {
  constructor(private readonly outside: OutsideClient) {}

  /**
   * @param stepId sent as `Idempotency-Key`: a step that is repeated after a crash sends the same request again
   * @returns status and body of the answer, parsed when it is JSON
   * @throws StepError for any outcome but an answer of 2xx
   */
  async perform(action: HttpRequest, data: TemplateData, stepId: string): Promise<Record<string, unknown>> {
    const response = await this.send(action, data, stepId);
    const { status } = response;
    if (status >= 200 && status < 300) return { status, body: bodyOf(response) };
    // Redirects are not followed: their targets were not checked when the workflow was created.
    throw new StepError('HTTP_STATUS', `The address answered ${status}`, status === 429 || status >= 500);
  }

  private async send(action: HttpRequest, data: TemplateData, stepId: string): Promise<EgressResponse> {
    try {
      const hasBody = action.body !== undefined;
      const headers = Object.entries(action.headers ?? {}).map(([name, value]) => [
        name.toLowerCase(),
        renderHeader(value, data),
      ]);
      return await this.outside.request({
        method: action.method ?? (hasBody ? 'POST' : 'GET'),
        url: renderUrl(action.url, data),
        headers: {
          ...(hasBody && { 'content-type': typeof action.body === 'string' ? 'text/plain' : 'application/json' }),
          ...Object.fromEntries(headers),
          'idempotency-key': stepId,
        },
        ...(hasBody && { body: render(action.body, data) }),
        maxResponseBytes: MAX_ANSWER_BYTES,
        truncate: true,
      });
    } catch (error) {
      if (error instanceof TemplateError)
        throw new StepError('TEMPLATE', error.message.replace(/\.$/, ''), false, { cause: error });
      if (!(error instanceof EgressError)) throw error;
      throw new StepError(`HTTP_${error.code.toUpperCase()}`, error.message, !LASTING.includes(error.code), {
        cause: error,
      });
    }
  }
}

const render = (body: unknown, data: TemplateData): string =>
  typeof body === 'string' ? renderTemplate(body, data) : JSON.stringify(renderValue(body, data));

function bodyOf({ headers, body, truncated }: EgressResponse): unknown {
  const text = body.toString('utf8');
  if (truncated || !/[/+]json\b/.test(headers['content-type'] ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StepError('HTTP_BODY', 'The body of the answer is not JSON, contrary to its content type', false, {
      cause: error,
    });
  }
}
