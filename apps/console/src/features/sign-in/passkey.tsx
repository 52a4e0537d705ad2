import { ApiProblem } from '@crm/api-client';
import { ProblemNotice, type Words } from '@crm/ui';
import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';

/** What a browser needs to ask for a passkey, and what is sent back with its answer. */
export interface PasskeyOptions {
  readonly challengeId: string;
  readonly publicKey: object;
}

/** Returns whether this browser has passkeys, and can read and write them as JSON. */
const knowsPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/**
 * Asks the user for a passkey.
 * @returns the answer for the API; undefined when the user chose none
 */
async function askForPasskey({ challengeId, publicKey }: PasskeyOptions): Promise<object | undefined> {
  try {
    const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey as PublicKeyCredentialRequestOptionsJSON);
    const credential = await navigator.credentials.get({ publicKey: options });
    return credential instanceof PublicKeyCredential ? { challengeId, credential: credential.toJSON() } : undefined;
  } catch (error) {
    // Browsers say no more, so that a page cannot learn whether there is one: cancelled, too late, or none there.
    if (error instanceof DOMException && error.name === 'NotAllowedError') return undefined;
    throw error;
  }
}

/** Returns whether the API knows no such call. */
export const isMissing = (problem: unknown): boolean => problem instanceof ApiProblem && problem.status === 404;

export interface PasskeyButtonProps {
  readonly label: string;
  readonly words: Words;
  /** What is said when none was used. */
  readonly unused: string;
  readonly options: () => Promise<PasskeyOptions>;
  readonly onAnswer: (answer: object) => Promise<unknown>;
  /** What parts it from the other ways, for as long as it is there. */
  readonly before?: ReactNode;
  readonly after?: ReactNode;
}

/** Asks for a passkey, where the browser has them. It goes where the API has none. */
export function PasskeyButton({ label, words, unused, options, onAnswer, before, after }: PasskeyButtonProps) {
  const action = useMutation({
    /** @returns what there is to say about it */
    mutationFn: async () => {
      const answer = await askForPasskey(await options());
      if (!answer) return unused;
      await onAnswer(answer);
      return undefined;
    },
  });
  if (!knowsPasskeys()) return null;
  return (
    <>
      {isMissing(action.error) ? null : (
        <>
          {before}
          <Button variant="default" onClick={() => action.mutate()} loading={action.isPending}>
            {label}
          </Button>
        </>
      )}
      {action.error ? <ProblemNotice problem={action.error} words={words} /> : null}
      {action.data ? <Text role="status">{action.data}</Text> : null}
      {after}
    </>
  );
}
