import { ApiProblem } from '@crm/api-client';
import { catalogue, type Language, useLocale, useTexts } from '@crm/ui';
import { Checkbox, PasswordInput, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEventHandler, useState } from 'react';
import { ForgotLink } from '../sign-in/first-factor.js';
import { knownDevices } from '../sign-in/known-devices.js';
import { Form, REQUIRED } from '../sign-in/parts/form.js';
import { Page, SignInLink } from '../sign-in/parts/page.js';
import { type DeviceToken, type PasskeysLeft, signInApi } from '../sign-in/sign-in.api.js';
import { LinkEnd, NoToken } from './confirm-link.js';
import { isInvalidLink, LINK_TEXTS, type PasswordKind } from './links.texts.js';

const PASSWORD_TEXTS = catalogue({
  en: {
    label: 'New password',
    hint: 'At least 12 characters of any kind. Several words that do not belong together are good.',
    show: 'Show it',
    reasons: {
      COMMON_PASSWORD: 'This password is among the first that an attacker tries. Choose one that is harder to guess.',
      OWN_DATA_PASSWORD:
        'This password is made of your name, address or workspace. Choose one that has nothing to do with you.',
      SAME_PASSWORD: 'This is your present password. Choose a new one.',
    } as Readonly<Record<string, string>>,
    otherReason: 'Use 12 to 256 characters.',
  },
  de: {
    label: 'Neues Passwort',
    hint: 'Mindestens 12 beliebige Zeichen. Gut sind mehrere Wörter, die nicht zusammengehören.',
    show: 'Anzeigen',
    reasons: {
      COMMON_PASSWORD:
        'Dieses Passwort probieren Angreifer als eines der ersten. Wählen Sie eines, das schwerer zu erraten ist.',
      OWN_DATA_PASSWORD:
        'Dieses Passwort besteht aus Ihrem Namen, Ihrer Adresse oder Ihrem Arbeitsbereich. Wählen Sie eines, das nichts mit Ihnen zu tun hat.',
      SAME_PASSWORD: 'Das ist Ihr jetziges Passwort. Wählen Sie ein neues.',
    },
    otherReason: 'Verwenden Sie 12 bis 256 Zeichen.',
  },
});

/** What the API accepts, counted as it does. */
const LENGTH = { minLength: 12, maxLength: 256 };

/** Where the bodies of the API have a new password. */
const POINTERS = ['/password', '/newPassword'];

export interface NewPasswordInputProps {
  readonly value: string;
  readonly onChange: ChangeEventHandler<HTMLInputElement>;
  /** Of the last attempt; what concerns the password is shown below it. */
  readonly problem: unknown;
}

/** A new password, which can be looked at instead of being typed twice. */
export function NewPasswordInput({ value, onChange, problem }: NewPasswordInputProps) {
  const { language } = useLocale();
  const texts = useTexts(PASSWORD_TEXTS);
  const code = passwordProblem(problem);
  return (
    <PasswordInput
      {...REQUIRED}
      {...LENGTH}
      label={texts.label}
      description={texts.hint}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': texts.show }}
      autoComplete="new-password"
      autoCapitalize="none"
      spellCheck={false}
      value={value}
      onChange={onChange}
      error={code && inWords(code, language)}
    />
  );
}

/** @returns the code of what is wrong with the password, if that is why something was refused */
export const passwordProblem = (problem: unknown): string | undefined =>
  problem instanceof ApiProblem ? problem.fields.find(({ pointer }) => POINTERS.includes(pointer))?.code : undefined;

const inWords = (code: string, language: Language): string => {
  const { reasons, otherReason } = PASSWORD_TEXTS[language];
  return reasons[code] ?? otherReason;
};

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
