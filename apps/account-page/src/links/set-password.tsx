import { ApiProblem } from '@crm/api-client';
import { Button, catalogue, type Language, useLocale, useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi, type DeviceToken, type PasskeysLeft } from '../api/account-api.js';
import { knownDevices } from '../known-devices.js';
import { Form, TextInput } from '../parts/form.js';
import { Page, SignInLink } from '../parts/page.js';
import { ForgotLink } from '../sign-in/first-factor.js';
import { useAction } from '../use-action.js';
import { LinkEnd, NoToken } from './confirm-link.js';
import { isInvalidLink, LINK_TEXTS, type PasswordKind } from './links.texts.js';

const PASSWORD_TEXTS = catalogue({
  en: {
    label: 'New password',
    hint: 'At least 12 characters of any kind. Several words that do not belong together are good.',
    show: 'Show the password',
    hide: 'Hide the password',
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
    show: 'Passwort anzeigen',
    hide: 'Passwort verbergen',
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
  readonly onChange: (value: string) => void;
  /** Of the last attempt; what concerns the password is shown below it. */
  readonly problem: unknown;
}

/** A new password, which can be looked at instead of being typed twice. */
export function NewPasswordInput({ value, onChange, problem }: NewPasswordInputProps) {
  const { language } = useLocale();
  const texts = useTexts(PASSWORD_TEXTS);
  const [isShown, setIsShown] = useState(false);
  const code = passwordProblem(problem);
  return (
    <div className="stack">
      <TextInput
        {...LENGTH}
        label={texts.label}
        hint={texts.hint}
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        onChange={onChange}
        problem={code && inWords(code, language)}
      />
      <Button look="link" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
        {isShown ? texts.hide : texts.show}
      </Button>
    </div>
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
  'password-reset': accountApi.completeReset,
  invitation: accountApi.acceptInvitation,
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
  const [password, setPassword] = useState('');
  const words = useTexts(PASSKEY_TEXTS);
  const [removesPasskeys, setRemovesPasskeys] = useState(false);
  const [done, setDone] = useState<Done>();
  const action = useAction(async () => {
    const done = await ACTS[kind](token as string, password, removesPasskeys);
    if (done?.deviceToken) knownDevices(window).keepForNext(done.deviceToken);
    setPassword('');
    setDone(done ?? {});
  });

  if (token === undefined) return <NoToken />;
  if (done) {
    return (
      <LinkEnd title={texts.doneTitle} text={texts.doneText}>
        {done.passkeysRemoved ? <p>{`${words.removed} ${done.passkeysRemoved}`}</p> : null}
        {done.passkeys ? <p>{`${words.left} ${done.passkeys}`}</p> : null}
        <SignInLink />
      </LinkEnd>
    );
  }
  if (action.problem instanceof ApiProblem && isInvalidLink(action.problem.code)) {
    return (
      <LinkEnd title={invalidTitle} text={texts.invalid}>
        {kind === 'password-reset' ? <ForgotLink /> : null}
      </LinkEnd>
    );
  }
  return (
    <Page title={texts.title}>
      <p>{texts.text}</p>
      <Form action={action} submit={texts.button} isProblemShown={passwordProblem(action.problem) !== undefined}>
        <NewPasswordInput value={password} onChange={setPassword} problem={action.problem} />
        {kind === 'password-reset' ? (
          <div className="stack">
            <label>
              <input
                type="checkbox"
                checked={removesPasskeys}
                onChange={(event) => setRemovesPasskeys(event.target.checked)}
              />{' '}
              {words.remove}
            </label>
            <span className="muted">{words.why}</span>
          </div>
        ) : null}
      </Form>
    </Page>
  );
}
