import { useTexts } from '@crm/ui';
import { Anchor, Button, Text, TextInput } from '@mantine/core';
import type { ChangeEventHandler } from 'react';
import { Copy } from './parts/copy.js';
import { REQUIRED } from './parts/form.js';
import { Page } from './parts/page.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

export interface CodeInputProps {
  readonly value: string;
  readonly onChange: ChangeEventHandler<HTMLInputElement>;
}

/** Six digits; some apps show them in two groups, and that is how they are copied. */
export function DigitsInput(props: CodeInputProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <TextInput
      {...REQUIRED}
      {...props}
      label={texts.code}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="\s*(\d\s*){6}"
      title={texts.code}
      maxLength={16}
    />
  );
}

export function RecoveryCodeInput(props: CodeInputProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <TextInput
      {...REQUIRED}
      {...props}
      label={texts.recoveryCode}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={40}
    />
  );
}

export interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** The sign-in is complete by now; it goes on when somebody says that they have the codes. */
export function RecoveryCodes({ codes, onKept }: RecoveryCodesProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <Page title={texts.codesTitle}>
      <Text>{texts.codesText}</Text>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Copy text={codes.join('\n')} label={texts.copy} />
      <Button onClick={onKept}>{texts.kept}</Button>
    </Page>
  );
}

export interface OtherCodeProps {
  readonly isRecovery: boolean;
  readonly onChange: (isRecovery: boolean) => void;
}

/** Leads from the code of the authenticator app to a recovery code, and back. */
export function OtherCode({ isRecovery, onChange }: OtherCodeProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <Anchor component="button" type="button" onClick={() => onChange(!isRecovery)}>
      {isRecovery ? texts.useApp : texts.useRecovery}
    </Anchor>
  );
}
