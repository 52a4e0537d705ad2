import { ApiProblem } from '@crm/api-client';
import { Button, useTexts } from '@crm/ui';
import { useEffect, useState } from 'react';
import { accountApi, type Provider, type SignInAnswer } from '../api/account-api.js';
import { knownDevices } from '../known-devices.js';
import { Form, TextInput } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { ProblemText } from '../parts/problem-text.js';
import { keepReturn } from '../return-place.js';
import { useSession } from '../session.js';
import { useAction } from '../use-action.js';
import { askForPasskey, knowsPasskeys } from './passkey.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

export function ForgotLink() {
  const texts = useTexts(SIGN_IN_TEXTS);
  return (
    <p>
      <a href="/account/forgot-password">{texts.forgot}</a>
    </p>
  );
}

export interface PasskeyButtonProps {
  readonly onAnswer: (answer: SignInAnswer) => void;
  /** Whether there is nothing above it to choose instead. */
  readonly isOnlyWay?: boolean;
}

/** The last thing of the sign-in, so that nothing moves when it goes. It goes where passkeys are not in use. */
export function PasskeyButton({ onAnswer, isOnlyWay = false }: PasskeyButtonProps) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const [note, setNote] = useState<string>();
  const [isOffered, setIsOffered] = useState(knowsPasskeys);
  const action = useAction(async () => {
    setNote(undefined);
    const options = await accountApi.passkeyOptions().catch((problem: unknown) => {
      if (!isMissing(problem)) throw problem;
      return undefined;
    });
    if (!options) {
      setIsOffered(false);
      setNote(texts.noPasskeys);
      return;
    }
    const answer = await askForPasskey(options);
    if (answer) onAnswer(await accountApi.signInWithPasskey(answer));
    else setNote(texts.noPasskeyUsed);
  });

  return (
    <div className="stack">
      {isOffered ? (
        <>
          {isOnlyWay ? null : <p className="or">{texts.or}</p>}
          <Button onClick={action.run} disabled={action.isBusy} aria-busy={action.isBusy}>
            {texts.passkey}
          </Button>
        </>
      ) : null}
      {action.problem ? <ProblemText problem={action.problem} words={texts.passkeyProblems} /> : null}
      {note ? <p role="status">{note}</p> : null}
    </div>
  );
}

/** Whether the API knows no such call. */
export const isMissing = (problem: unknown): boolean => problem instanceof ApiProblem && problem.status === 404;

/** As much as is needed to ask: an address with a domain. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Somebody is typing until nothing has changed for as long. */
const TYPING_MS = 400;

/** Buttons for the identity providers of the workspace that an address belongs to. */
export function ProviderButtons({ email }: { readonly email: string }) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { needsProof } = useSession();
  const providers = useProviders(email);
  const action = useAction(async (id: string) => {
    const { redirectTo } = await accountApi.startAtProvider(id, needsProof);
    keepReturn(window);
    location.assign(httpAddress(redirectTo));
  });
  if (providers.length === 0) return null;
  return (
    <div className="stack">
      {providers.map(({ id, name }) => (
        <Button key={id} onClick={() => action.run(id)} disabled={action.isBusy}>
          {texts.withProvider(name)}
        </Button>
      ))}
      {action.problem ? <ProblemText problem={action.problem} /> : null}
    </div>
  );
}

function useProviders(email: string): readonly Provider[] {
  const [found, setFound] = useState<{ readonly email: string; readonly providers: readonly Provider[] }>();
  const [isInUse, setIsInUse] = useState(true);
  useEffect(() => {
    if (!isInUse || !ADDRESS.test(email)) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      accountApi.providersFor(email).then(
        ({ providers }) => {
          if (isWanted) setFound({ email, providers });
        },
        (problem: unknown) => {
          // Whoever has a password signs in with it; what keeps the call from being answered, that one says too.
          if (isMissing(problem)) setIsInUse(false);
          else reportError(problem);
        },
      );
    }, TYPING_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [email, isInUse]);
  return found?.email === email ? found.providers : [];
}

/** @throws Error for an address that is no page, such as `javascript:` */
function httpAddress(text: string): string {
  const { protocol, href } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('An identity provider has no such address');
  return href;
}

export interface FirstFactorProps {
  readonly title: string | undefined;
  readonly lead: string | undefined;
  /** @param email of the account, where it was typed in */
  readonly onAnswer: (answer: SignInAnswer, email?: string) => void;
}

/** Who somebody is: with a password, a passkey, or through the identity provider of their workspace. */
export function FirstFactor({ title, lead, onAnswer }: FirstFactorProps) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { hasEnded } = useSession();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    try {
      const account = email.trim();
      onAnswer(await accountApi.signIn(account, password, await knownDevices(window).tokenFor(account)), account);
    } finally {
      setPassword('');
    }
  });

  return (
    <Page title={title ?? texts.title}>
      {hasEnded ? (
        <p className="problem" role="alert">
          {texts.ended}
        </p>
      ) : null}
      {lead ? <p>{lead}</p> : null}
      <Form action={action} submit={texts.submit} words={texts.problems}>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          maxLength={254}
          value={email}
          onChange={setEmail}
        />
        <TextInput
          label={texts.password}
          type="password"
          autoComplete="current-password"
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
      </Form>
      <ForgotLink />
      <ProviderButtons email={email.trim()} />
      <PasskeyButton onAnswer={onAnswer} />
    </Page>
  );
}
