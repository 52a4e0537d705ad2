import { ApiProblem } from '@crm/api-client';
import { Button, type Language, useLocale, useTexts } from '@crm/ui';
import { useState } from 'react';
import { TextInput } from '../../parts/text-input.js';
import { PASSWORD_TEXTS } from './password.texts.js';

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
