import { ApiProblem } from '@crm/api-client';
import { catalogue, useTexts } from '@crm/ui';
import { Checkbox, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ForgotLink } from '../sign-in/first-factor.js';
import { knownDevices } from '../sign-in/known-devices.js';
import { Form } from '../sign-in/parts/form.js';
import { Page, SignInLink } from '../sign-in/parts/page.js';
import { NewPasswordInput, passwordProblem } from '../sign-in/parts/passwords.js';
import { type DeviceToken, type PasskeysLeft, signInApi } from '../sign-in/sign-in.api.js';
import { LinkEnd, NoToken } from './confirm-link.js';
import { isInvalidLink, LINK_TEXTS, type PasswordKind } from './links.texts.js';

type Done = Partial<DeviceToken & PasskeysLeft>;

const ACTS: Readonly<
  Record<PasswordKind, (token: string, password: string, removePasskeys: boolean) => Promise<Done | undefined>>
> = {
  'password-reset': signInApi.completeReset,
  invitation: signInApi.acceptInvitation,
};

const PASSKEY_TEXTS = catalogue({
  en: {
    remove: 'Remove the passkeys of my account too',
    why: 'They sign in without the password. Remove them if somebody else may have set one up.',
    removed: 'Passkeys that were removed:',
    left: 'Passkeys that still sign in to your account:',
  },
  de: {
    remove: 'Auch die Passkeys meines Kontos entfernen',
    why: 'Mit ihnen meldet man sich ohne Passwort an. Entfernen Sie sie, wenn jemand anders einen eingerichtet haben könnte.',
    removed: 'Entfernte Passkeys:',
    left: 'Passkeys, mit denen man sich weiterhin an Ihrem Konto anmeldet:',
  },
});

export interface SetPasswordProps {
  readonly kind: PasswordKind;
  readonly token: string | undefined;
}

/** A link with which a password is chosen. */
export function SetPassword({ kind, token }: SetPasswordProps) {
  const { links, invalidTitle } = useTexts(LINK_TEXTS);
  const texts = links[kind];
  const [password, setPassword] = useInputState('');
  const words = useTexts(PASSKEY_TEXTS);
  const [removesPasskeys, setRemovesPasskeys] = useState(false);
  const action = useMutation({
    mutationFn: async (): Promise<Done> => (await ACTS[kind](token as string, password, removesPasskeys)) ?? {},
    onSuccess: ({ deviceToken }) => {
      if (deviceToken) knownDevices(window).keepForNext(deviceToken);
      setPassword('');
    },
  });
  const done = action.data;

  if (token === undefined) return <NoToken />;
  if (done) {
    return (
      <LinkEnd title={texts.doneTitle} text={texts.doneText}>
        {done.passkeysRemoved ? <Text>{`${words.removed} ${done.passkeysRemoved}`}</Text> : null}
        {done.passkeys ? <Text>{`${words.left} ${done.passkeys}`}</Text> : null}
        <SignInLink />
      </LinkEnd>
    );
  }
  if (action.error instanceof ApiProblem && isInvalidLink(action.error.code)) {
    return (
      <LinkEnd title={invalidTitle} text={texts.invalid}>
        {kind === 'password-reset' ? <ForgotLink /> : null}
      </LinkEnd>
    );
  }
  return (
    <Page title={texts.title}>
      <Text>{texts.text}</Text>
      <Form action={action} submit={texts.button} isProblemShown={passwordProblem(action.error) !== undefined}>
        <NewPasswordInput value={password} onChange={setPassword} problem={action.error} />
        {kind === 'password-reset' ? (
          <Checkbox
            label={words.remove}
            description={words.why}
            checked={removesPasskeys}
            onChange={(event) => setRemovesPasskeys(event.currentTarget.checked)}
          />
        ) : null}
      </Form>
    </Page>
  );
}
