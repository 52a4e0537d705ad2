import { EgressError } from '@crm/egress';
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';

/** A provider that could not be used: what is wrong with it, in a sentence that may be shown to the workspace. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}

/**
 * Says in a sentence why a call of the protocol library failed.
 * @param error what it threw
 */
export function asProviderFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const egress = causes(error).find((cause) => cause instanceof EgressError);
  if (egress) return new ProviderFailure(`The provider could not be called: ${egress.message}`, { cause: error });
  if (error instanceof ResponseBodyError) {
    return new ProviderFailure(`The provider answered ${plain(error.error)}`, { cause: error });
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new ProviderFailure('The provider did not accept the client', { cause: error });
  }
  if (error instanceof ClientError) {
    const detail = error.cause instanceof Error ? `: ${plain(error.cause.message)}` : '';
    return new ProviderFailure(`The provider gave an invalid answer (${plain(error.message)}${detail})`, {
      cause: error,
    });
  }
  throw error;
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let cause = error; cause instanceof Error && found.length < 5; cause = cause.cause) found.push(cause);
  return found;
}

/** What a provider says is shown short and without what could be more than words. */
const plain = (text: string): string => text.replace(/[^\w .,"'()-]+/g, ' ').slice(0, 200);
