import { catalogue, Icon, useTexts } from '@crm/ui';
import { ActionIcon, Checkbox, Group, Stack } from '@mantine/core';
import { type MouseEvent, useState } from 'react';
import { TEXTS } from '../texts.js';
import type { FilterButtonProps } from './filter-button.js';
import { shownColumns } from './list-state.js';
import { PanelButton } from './panel-button.js';

const COLUMN_TEXTS = catalogue({
  en: { up: (field: string) => `Move ${field} up`, down: (field: string) => `Move ${field} down` },
  de: { up: (field) => `${field} nach oben`, down: (field) => `${field} nach unten` },
});

export interface ColumnButtonProps extends FilterButtonProps {
  /** Pixels of the list. */
  readonly width: number;
}

/** Chooses the columns of a list and their order. */
export default function ColumnButton(props: ColumnButtonProps) {
  const texts = useTexts(TEXTS);
  return (
    <PanelButton label={texts.columns} width="20rem">
      {() => <ColumnPanel {...props} />}
    </PanelButton>
  );
}

/** Rows stay where they are while they are ticked. Where none is ticked the list has the columns that suit. */
function ColumnPanel({ model, state, onState, width }: ColumnButtonProps) {
  const texts = useTexts(COLUMN_TEXTS);
  const [{ fields, shown }, set] = useState(() => {
    const { columns } = shownColumns(model, state.columns, width);
    const others = model.fields.filter((one) => !columns.includes(one) && !model.titleFields.includes(one.apiName));
    return { fields: [...columns, ...others], shown: columns.map(({ apiName }) => apiName) };
  });
  const change = (next: { readonly fields: typeof fields; readonly shown: typeof shown }): void => {
    set(next);
    const columns = next.fields.map(({ apiName }) => apiName).filter((name) => next.shown.includes(name));
    onState({ ...state, columns });
  };
  const move = (index: number, to: number, { currentTarget }: MouseEvent<HTMLElement>): void => {
    const [moved] = fields.slice(index);
    if (moved) change({ fields: fields.toSpliced(index, 1).toSpliced(to, 0, moved), shown });
    // A row that moves down is put elsewhere in the document, which takes the focus from it; at an end one way is left.
    requestAnimationFrame(() => {
      const other = currentTarget.parentElement?.querySelector<HTMLElement>('button:enabled');
      (currentTarget.matches(':disabled') ? other : currentTarget)?.focus();
    });
  };
  return (
    <Stack component="ul" gap={4} p={0} m={0} mah="60dvh" style={{ listStyle: 'none', overflowY: 'auto' }}>
      {fields.map(({ apiName, label }, index) => (
        <Group key={apiName} component="li" gap={4} wrap="nowrap">
          <Checkbox
            label={label}
            mr="auto"
            checked={shown.includes(apiName)}
            onChange={({ currentTarget: { checked } }) =>
              change({ fields, shown: checked ? [...shown, apiName] : shown.filter((name) => name !== apiName) })
            }
          />
          {(['up', 'down'] as const).map((way) => (
            <ActionIcon
              key={way}
              variant="subtle"
              color="gray"
              aria-label={texts[way](label)}
              disabled={index === (way === 'up' ? 0 : fields.length - 1)}
              onClick={(event) => move(index, way === 'up' ? index - 1 : index + 1, event)}
            >
              <Icon name={way} />
            </ActionIcon>
          ))}
        </Group>
      ))}
    </Stack>
  );
}
