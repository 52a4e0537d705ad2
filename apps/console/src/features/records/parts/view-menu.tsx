import type { SavedViewView } from '@crm/api-client';
import { type ListState, type ObjectModel, RECORD_TEXTS } from '@crm/records-ui';
import { Icon, ProblemNotice, useTexts } from '@crm/ui';
import { Button, Checkbox, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAdministers } from '../../shell/shell.queries.js';
import { SHELL_TEXTS } from '../../shell/shell.texts.js';
import { useViewChange, useViews } from '../views.queries.js';
import { VIEWS_TEXTS } from '../views.texts.js';

export interface ViewMenuProps {
  readonly model: ObjectModel;
  /** The chosen one. */
  readonly view: SavedViewView | undefined;
  readonly state: ListState;
  readonly isChanged: boolean;
  /** What opens it. */
  readonly button: (props: object) => ReactNode;
  readonly onChoose: (view: SavedViewView | undefined) => void;
  readonly onImport: () => void;
}

type Form = 'new' | 'edit' | 'delete';

/** Chooses a view, and looks after them. Open from the beginning: a click has asked for it. */
export default function ViewMenu({ model, view, state, isChanged, button, onChoose, onImport }: ViewMenuProps) {
  const texts = useTexts(VIEWS_TEXTS);
  const { allOf } = useTexts(SHELL_TEXTS);
  const { data: views = [] } = useViews(model.apiName, true);
  const [isOpen, setOpen] = useState(true);
  const [form, setForm] = useState<Form>();
  const parts = partsOf(state);
  const save = useViewChange(model.apiName, (client, { id }: SavedViewView) =>
    client.PATCH('/api/crm/views/{id}', { params: { path: { id } }, body: parts }),
  );
  const saveChanges = (changed: SavedViewView): void =>
    save.mutate(changed, {
      onSuccess: ({ data }) => {
        if (data) onChoose(data);
        notifications.show({ message: texts.saved(changed.name) });
      },
      onError: (problem) => notifications.show({ message: <ProblemNotice problem={problem} />, autoClose: false }),
    });
  const item = (one: SavedViewView | undefined) => (
    <Menu.Item
      key={one?.id ?? ''}
      aria-current={one?.id === view?.id || undefined}
      rightSection={one?.id === view?.id ? <Icon name="check" /> : undefined}
      onClick={() => onChoose(one)}
    >
      {one?.name ?? allOf(model.pluralLabel)}
    </Menu.Item>
  );
  const section = (label: string, some: readonly SavedViewView[]) =>
    some.length > 0 ? (
      <>
        <Menu.Label>{label}</Menu.Label>
        {some.map(item)}
      </>
    ) : null;
  return (
    <>
      <Menu opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" width={260} withinPortal={false}>
        <Menu.Target>{button({})}</Menu.Target>
        <Menu.Dropdown mah="70dvh" className="views">
          {item(undefined)}
          {section(
            texts.own,
            views.filter(({ shared }) => !shared),
          )}
          {section(
            texts.shared,
            views.filter(({ shared }) => shared),
          )}
          {views.length === 0 ? <Menu.Label>{texts.none}</Menu.Label> : null}
          <Menu.Divider />
          {view?.writable && isChanged ? <Menu.Item onClick={() => saveChanges(view)}>{texts.save}</Menu.Item> : null}
          {view && isChanged ? <Menu.Item onClick={() => onChoose(view)}>{texts.revert}</Menu.Item> : null}
          <Menu.Item onClick={() => setForm('new')}>{texts.saveAs}</Menu.Item>
          {view?.writable ? (
            <>
              <Menu.Item onClick={() => setForm('edit')}>{texts.edit}</Menu.Item>
              <Menu.Item onClick={() => setForm('delete')}>{texts.delete}</Menu.Item>
            </>
          ) : null}
          <Menu.Divider />
          {model.creatable ? <Menu.Item onClick={onImport}>{texts.import}</Menu.Item> : null}
          <Menu.Item
            renderRoot={(props: object) => (
              <Link to="/records/$object/bin" params={{ object: model.apiName }} {...props} />
            )}
          >
            {texts.bin}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {form ? (
        <ViewForm
          form={form}
          model={model}
          view={view}
          state={state}
          onChoose={onChoose}
          onClose={() => setForm(undefined)}
        />
      ) : null}
    </>
  );
}

/** What a view keeps of a list. */
const partsOf = ({ filter, sort, columns = [] }: ListState) => ({
  ...{ filter: (filter ?? null) as Record<string, unknown> | null, sort: sort || null, columns: [...columns] },
});

interface ViewFormProps extends Pick<ViewMenuProps, 'model' | 'view' | 'state' | 'onChoose'> {
  readonly form: Form;
  readonly onClose: () => void;
}

/** Names a view that is saved, renames and shares one, or asks before one is deleted. */
function ViewForm({ form, model, view, state, onChoose, onClose }: ViewFormProps) {
  const texts = useTexts(VIEWS_TEXTS);
  const words = useTexts(RECORD_TEXTS);
  const [name, setName] = useState(form === 'new' ? '' : (view?.name ?? ''));
  const [shared, setShared] = useState(form !== 'new' && view?.shared === true);
  const { mutate, error, isPending } = useViewChange(
    model.apiName,
    async (client): Promise<SavedViewView | undefined> => {
      const path = { id: view?.id ?? '' };
      if (form === 'delete') await client.DELETE('/api/crm/views/{id}', { params: { path } });
      if (form === 'edit')
        return (await client.PATCH('/api/crm/views/{id}', { params: { path }, body: { name, shared } })).data;
      if (form === 'new') {
        const body = { object: model.apiName, name, shared, ...partsOf(state) };
        return (await client.POST('/api/crm/views', { body })).data;
      }
      return undefined;
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate(undefined, {
      onSuccess: (saved) => {
        // Renamed, its list stays as it is.
        if (form !== 'edit') onChoose(saved);
        notifications.show({ message: form === 'delete' ? texts.deleted(name) : texts.saved(name) });
        onClose();
      },
    });
  };
  const mayShare = useAdministers();
  const title = { new: texts.saveAs, edit: texts.edit, delete: texts.delete }[form];
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': words.cancel }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {form === 'delete' ? (
            <Text>{texts.deleteText}</Text>
          ) : (
            <>
              <TextInput
                label={texts.name}
                value={name}
                maxLength={100}
                required
                withAsterisk={false}
                data-autofocus
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              {mayShare ? (
                <Checkbox
                  label={texts.share}
                  checked={shared}
                  onChange={({ currentTarget }) => setShared(currentTarget.checked)}
                />
              ) : null}
            </>
          )}
          {error ? <ProblemNotice problem={error} /> : null}
          <Group>
            <Button type="submit" loading={isPending} color={form === 'delete' ? 'red' : undefined}>
              {form === 'delete' ? words.delete : words.save}
            </Button>
            <Button variant="default" onClick={onClose}>
              {words.cancel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
