import { catalogue, NewPasswordInput, SignInLink, useTexts } from '@crm/ui';
import { Checkbox, Text } from '@mantine/core';
import { ForgotLink } from '../sign-in/first-factor.js';
import { knownDevices } from '../sign-in/known-devices.js';
import { signInApi } from '../sign-in/sign-in.api.js';
import { LinkForm } from './link-form.js';

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

/** A link with which someone who has an account chooses another password. */
export function ResetPassword({ token }: { readonly token: string }) {
  const texts = useTexts(PASSKEY_TEXTS);
  return (
    <LinkForm
      kind="password-reset"
      act={async ({ newPassword = '', removePasskeys }) => {
        const done = await signInApi.completeReset(token, newPassword, removePasskeys === 'on');
        if (done.deviceToken) knownDevices(window).keepForNext(done.deviceToken);
        return done;
      }}
      afterDone={({ passkeys, passkeysRemoved }) => (
        <>
          {passkeysRemoved ? <Text>{`${texts.removed} ${passkeysRemoved}`}</Text> : null}
          {passkeys ? <Text>{`${texts.left} ${passkeys}`}</Text> : null}
          <SignInLink />
        </>
      )}
      afterInvalid={<ForgotLink />}
    >
      <NewPasswordInput />
      <Checkbox name="removePasskeys" label={texts.remove} description={texts.why} />
    </LinkForm>
  );
}
