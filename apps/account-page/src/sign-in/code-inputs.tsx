import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { TextInput } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

export interface CodeInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Six digits; some apps show them in two groups, and that is how they are copied. */
export function DigitsInput({ value, onChange }: CodeInputProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <TextInput
      label={texts.code}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="\s*(\d\s*){6}"
      title={texts.code}
      maxLength={16}
      value={value}
      onChange={onChange}
    />
  );
}

export function RecoveryCodeInput({ value, onChange }: CodeInputProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <TextInput
      label={texts.recoveryCode}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={40}
      value={value}
      onChange={onChange}
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
  const [outcome, setOutcome] = useState<string>();
  const copy = (): void => {
    navigator.clipboard.writeText(codes.join('\n')).then(
      () => setOutcome(texts.copied),
      // A browser may refuse it; the codes can still be marked and copied.
      () => setOutcome(texts.notCopied),
    );
  };
  return (
    <Page title={texts.codesTitle}>
      <p>{texts.codesText}</p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Button onClick={copy}>{texts.copy}</Button>
      <p role="status" className="muted">
        {outcome}
      </p>
      <Button look="primary" onClick={onKept}>
        {texts.kept}
      </Button>
    </Page>
  );
}
