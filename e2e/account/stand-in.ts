import type { Page } from 'playwright-core';

export interface Answer {
  readonly status?: number;
  readonly body: object;
}

/** By method and path. */
export type Answers = Readonly<Record<string, () => Answer | Promise<Answer>>>;

export interface Calls {
  /** The last body of each call. */
  readonly bodies: Record<string, unknown>;
  readonly tokens: Record<string, string | undefined>;
  readonly counts: Record<string, number>;
}

/** Answers some calls of the page in place of the API. They come from the page with its own policy, as in earnest. */
export async function answerCalls(page: Page, answers: Answers): Promise<Calls> {
  const calls: Calls = { bodies: {}, tokens: {}, counts: {} };
  await page.route(
    ({ pathname }) => pathname.startsWith('/api/'),
    async (route, request) => {
      const call = `${request.method()} ${new URL(request.url()).pathname}`;
      const answer = answers[call];
      if (!answer) {
        await route.fallback();
        return;
      }
      calls.bodies[call] = request.postDataJSON();
      calls.tokens[call] = (await request.allHeaders()).authorization;
      calls.counts[call] = (calls.counts[call] ?? 0) + 1;
      const { status = 200, body } = await answer();
      const contentType = status < 400 ? 'application/json' : 'application/problem+json';
      await route.fulfill({ status, contentType, body: JSON.stringify(body) });
    },
  );
  return calls;
}
