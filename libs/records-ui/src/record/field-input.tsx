import type { ObjectName } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { Checkbox, MultiSelect, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { KeyboardEventHandler } from 'react';
import { type DraftValue, viewOf } from '../objects/field-types.js';
import type { FieldModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { ReferencePicker } from './reference-picker.js';

export interface FieldInputProps {
  readonly field: FieldModel;
  readonly value: DraftValue;
  readonly onChange: (value: DraftValue) => void;
  readonly problem?: string;
  /** The object of the named record, when a reference may name several. */
  readonly named?: ObjectName | undefined;
  /** For a field whose label stands beside it already. */
  readonly hasNoLabel?: boolean;
  readonly isFocused?: boolean;
  readonly onKeyDown?: KeyboardEventHandler;
}

/** The input for a field of its type. The API validates; the form only helps with typing. */
export function FieldInput({
  field,
  value,
  onChange,
  problem,
  hasNoLabel,
  isFocused,
  onKeyDown,
  named,
}: FieldInputProps) {
  const texts = useTexts(TEXTS);
  const { control: kind, inputType = 'text', isNumber } = viewOf(field.type);
  const shared = {
    ...(hasNoLabel ? { 'aria-label': field.label } : { label: field.label }),
    ...(problem ? { error: problem } : {}),
    required: field.required,
    'data-autofocus': isFocused || undefined,
    autoFocus: isFocused,
    onKeyDown,
  };
  const onText = ({ currentTarget }: { currentTarget: { value: string } }): void => onChange(currentTarget.value);
  switch (kind) {
    case 'lines':
      return <Textarea {...shared} rows={5} value={String(value)} maxLength={field.maxLength} onChange={onText} />;
    case 'tick':
      return (
        <Checkbox
          {...shared}
          // A tick that is not set is a value too.
          required={false}
          checked={value === true || value === 'true'}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'option':
      return (
        <NativeSelect
          {...shared}
          value={String(value)}
          data={[
            ...(field.required && value !== '' ? [] : [{ value: '', label: texts.none }]),
            ...field.options
              .filter((option) => option.active !== false || option.value === value)
              .map(({ value, label }) => ({ value, label })),
          ]}
          onChange={onText}
        />
      );
    case 'options':
      return (
        <MultiSelect
          {...shared}
          data={field.options.map(({ value, label }) => ({ value, label }))}
          value={[...(value as readonly string[])]}
          onChange={onChange}
          clearable
          comboboxProps={{ withinPortal: false }}
          clearButtonProps={{ 'aria-label': texts.clear }}
        />
      );
    case 'record':
      return (
        <ReferencePicker
          {...shared}
          targets={field.targets ?? (field.target ? [field.target] : [])}
          named={named}
          value={String(value)}
          onChange={onChange}
        />
      );
    default:
      return (
        <TextInput
          {...shared}
          type={inputType}
          inputMode={isNumber ? 'decimal' : undefined}
          value={String(value)}
          maxLength={field.maxLength}
          onChange={onText}
        />
      );
  }
}
