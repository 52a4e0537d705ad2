import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { passwordProblem, REQUIRED, useFormProblem } from './form.js';
import { catalogue, useTexts } from './locale.js';

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

/** A new password, which can be looked at instead of being typed twice. What concerns it is shown below it. */
export function NewPasswordInput() {
  const texts = useTexts(PASSWORD_TEXTS);
  const code = passwordProblem(useFormProblem());
  return (
    <PasswordInput
      {...REQUIRED}
      {...LENGTH}
      name="newPassword"
      label={texts.label}
      description={texts.hint}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': texts.show }}
      autoComplete="new-password"
      autoCapitalize="none"
      spellCheck={false}
      error={code && (texts.reasons[code] ?? texts.otherReason)}
    />
  );
}

/** It is looked at by a click alone, so that the keyboard goes on from the field to the button. */
export const CurrentPasswordInput = (props: PasswordInputProps) => (
  <PasswordInput
    {...REQUIRED}
    name="password"
    visibilityToggleButtonProps={{ 'aria-hidden': true, 'aria-label': undefined }}
    autoComplete="current-password"
    maxLength={256}
    {...props}
  />
);
