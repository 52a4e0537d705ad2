import { useTexts } from '@crm/ui';
import { TextInput } from '../../parts/text-input.js';
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
