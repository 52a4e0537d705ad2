import {
  EgressError,
  type EgressErrorCode,
  type EgressRequest,
  type EgressResponse,
  OutsideClient,
  readRetryAfter,
} from '@crm/egress';
import { renderHeader, renderTemplate, renderUrl, renderValue, TemplateBudget, type TemplateData } from '@crm/manifest';
import { runInSpan, startSpan } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import { type Action } from '../workflow/workflow.entity.js';
import { RunChain } from './run-chain.js';
import { describeHttpRequest, StepError } from './step.js';

type HttpRequest = Extract<Action, { type: 'http_request' }>;

/** Bytes of an answer that are kept for later steps. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** Failures that stay the same when the request is repeated. */
const LASTING: readonly EgressErrorCode[] = ['blocked', 'tls', 'too_large', 'http_protocol'];

interface Step {
  /** Sent as `Idempotency-Key`: a step that is repeated after a crash sends the same request again. */
  readonly stepId: string;
  /** Depth of the run, told to this platform when it is called, so that loops are found. */
  readonly depth: number;
  /** Trace context of the step's span, if it is recorded. */
  readonly traceparent: string | undefined;
}

@Injectable()
export class HttpRequestService {
  constructor(
    private readonly outside: OutsideClient,
    private readonly chain: RunChain,
  ) {}

  /**
   * @returns status and body, parsed when it is JSON
   * @throws StepError for any outcome but a 2xx answer; TemplateError
   */
  async perform(action: HttpRequest, data: TemplateData, step: Step): Promise<Record<string, unknown>> {
    const request = this.requestOf(action, data, step);
    const span = startSpan(step.traceparent, describeHttpRequest, request.method);
    const response = await runInSpan(span, () => this.send(request));
    const { status } = response;
    if (status >= 200 && status < 300) return { status, body: bodyOf(response) };
    // Redirects are not followed: their targets were not checked when the workflow was created.
    throw new StepError('HTTP_STATUS', `The URL returned ${status}`, status === 429 || status >= 500, {
      retryAfterMs: readRetryAfter(response.headers['retry-after'], Date.now()),
    });
  }

  private requestOf(action: HttpRequest, data: TemplateData, { stepId, depth }: Step): EgressRequest {
    const budget = new TemplateBudget();
    const hasBody = action.body !== undefined;
    const url = renderUrl(action.url, data, budget);
    const headers = Object.entries(action.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      renderHeader(value, data, budget),
    ]);
    return {
      method: action.method ?? (hasBody ? 'POST' : 'GET'),
      url,
      headers: {
        ...(hasBody && { 'content-type': typeof action.body === 'string' ? 'text/plain' : 'application/json' }),
        ...Object.fromEntries(headers),
        'idempotency-key': stepId,
        ...this.chain.headersTo(url, depth),
      },
      ...(hasBody && { body: render(action.body, data, budget) }),
      maxResponseBytes: MAX_ANSWER_BYTES,
      truncate: true,
    };
  }

  private async send(request: EgressRequest): Promise<EgressResponse> {
    try {
      return await this.outside.request(request);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      throw new StepError(`HTTP_${error.code.toUpperCase()}`, error.message, !LASTING.includes(error.code), {
        cause: error,
      });
    }
  }
}

const render = (body: unknown, data: TemplateData, budget: TemplateBudget): string =>
  typeof body === 'string' ? renderTemplate(body, data, budget) : JSON.stringify(renderValue(body, data, budget));

function bodyOf({ headers, body, truncated }: EgressResponse): unknown {
  const text = body.toString('utf8');
  if (truncated || !/[/+]json\b/.test(headers['content-type'] ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StepError('HTTP_BODY', "The response body isn't JSON, although its content type says so", false, {
      cause: error,
    });
  }
}
