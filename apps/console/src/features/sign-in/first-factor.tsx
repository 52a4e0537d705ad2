import {
  CurrentPasswordInput,
  EmailInput,
  Form,
  NewPasswordInput,
  Page,
  ProblemNotice,
  useTexts,
  type Values,
} from '@crm/ui';
import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core';
import { useDebouncedValue, useInputState } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import { useSession } from '../../session/session-context.js';
import { Demos } from './demos.js';
import { knownDevices } from './known-devices.js';
import { isMissing, PasskeyButton } from './passkey.js';
import { keepReturn } from './return-path.js';
import { type SignInAnswer, signInApi } from './sign-in.api.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

export function ForgotLink({ staysOpen = false }: Pick<FirstFactorProps, 'staysOpen'>) {
  return (
    <Anchor href="/account/forgot-password" {...(staysOpen && { target: '_blank' })}>
      {useTexts(SIGN_IN_TEXTS).forgot}
    </Anchor>
  );
}

export interface PasskeySignInProps {
  readonly onAnswer: (answer: SignInAnswer) => Promise<void>;
  /** True when there is nothing above it to choose instead. */
  readonly isOnlyWay?: boolean;
}

/** The last thing of the sign-in, so that nothing moves when it goes. */
export function PasskeySignIn({ onAnswer, isOnlyWay = false }: PasskeySignInProps) {
  const texts = useTexts(SIGN_IN_TEXTS);
  return (
    <Stack gap="sm">
      <PasskeyButton
        label={texts.passkey}
        words={{ ...texts.problems, ...texts.passkeyProblems }}
        unused={texts.noPasskeyUsed}
        options={signInApi.passkeyOptions}
        onAnswer={async (answer) => onAnswer(await signInApi.signInWithPasskey(answer))}
        before={isOnlyWay ? null : <Divider label={texts.or} />}
      />
    </Stack>
  );
}

/** Enough to ask: an address with a domain. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Someone is typing until nothing has changed for as long. */
const TYPING_MS = 400;

/** Buttons for the identity providers of the workspace that an address belongs to. */
function ProviderButtons({ email, staysOpen }: { readonly email: string; readonly staysOpen: boolean }) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const [typed] = useDebouncedValue(email, TYPING_MS);
  const [isInUse, setIsInUse] = useState(true);
  // Anyone who has a password signs in with it; what keeps the call from being answered, that one says too.
  const { data } = useQuery({
    queryKey: ['providers', typed],
    queryFn: () =>
      signInApi.providersFor(typed).catch((problem: unknown) => {
        if (!isMissing(problem)) throw problem;
        setIsInUse(false);
        return { providers: [] };
      }),
    enabled: isInUse && ADDRESS.test(typed),
    retry: false,
  });
  const action = useMutation({
    mutationFn: async (id: string) => {
      const { redirectTo } = await signInApi.startAtProvider(id, new URLSearchParams(location.search).has('fresh'));
      // The session begins in every window.
      if (staysOpen && open(httpAddress(redirectTo))) return;
      keepReturn(window);
      location.assign(httpAddress(redirectTo));
    },
  });
  if (!data?.providers.length || typed !== email) return null;
  return (
    <Stack gap="sm">
      {data.providers.map(({ id, name }) => (
        <Button key={id} variant="default" onClick={() => action.mutate(id)} disabled={action.isPending}>
          {texts.withProvider(name)}
        </Button>
      ))}
      {action.error ? <ProblemNotice problem={action.error} /> : null}
    </Stack>
  );
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
  /** True when what leads elsewhere opens another window. */
  readonly staysOpen?: boolean;
  /** @param email of the account, where it was typed in */
  readonly onAnswer: (answer: SignInAnswer, email?: string) => Promise<void>;
}

/** Who someone is: with a password, a passkey, or through the identity provider of their workspace. */
export function FirstFactor({ title, lead, staysOpen = false, onAnswer }: FirstFactorProps) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { state } = useSession();
  const [email, setEmail] = useInputState('');
  const [password, setPassword] = useInputState('');
  const [isInitial, setInitial] = useState(false);
  const typeEmail = (event: ChangeEvent<HTMLInputElement>): void => {
    setEmail(event);
    setInitial(false);
  };
  const action = useMutation({
    mutationFn: async ({ email: account = '', password = '', newPassword }: Values) => {
      const credentials = { email: account, password, ...(newPassword !== undefined && { newPassword }) };
      const answer = await signInApi.signIn(credentials, await knownDevices(window).tokenFor(account));
      setInitial(answer.passwordChangeRequired === true);
      if (answer.passwordChangeRequired) return;
      await onAnswer(answer, account);
      setPassword('');
    },
    // What is to be replaced is sent along with what replaces it.
    onError: () => isInitial || setPassword(''),
  });

  return (
    <Page title={title ?? texts.title}>
      {state === 'ended' ? (
        <Alert role="alert" color="red" py="xs">
          {texts.failures.TOKEN_REVOKED}
        </Alert>
      ) : null}
      {lead ? <Text>{lead}</Text> : null}
      <Form action={action} submit={texts.title} words={texts.problems}>
        <EmailInput label={texts.email} value={email} onChange={typeEmail} />
        <CurrentPasswordInput label={texts.password} value={password} onChange={setPassword} />
        {isInitial ? (
          <>
            <Text role="status">{texts.initialPassword}</Text>
            <NewPasswordInput />
          </>
        ) : null}
      </Form>
      <ForgotLink staysOpen={staysOpen} />
      <ProviderButtons email={email.trim()} staysOpen={staysOpen} />
      <PasskeySignIn onAnswer={onAnswer} />
      <Demos
        onChoose={(account, known) => {
          setEmail(account);
          setPassword(known);
        }}
      />
    </Page>
  );
}
