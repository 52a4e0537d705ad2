import { type ObjectModel, RECORD_TEXTS, RecordList, readFilter, useRecords, VirtualTable } from '@crm/records-ui';
import { EmptyNotice, Icon, LoadingLines, useTexts } from '@crm/ui';
import { Button, Group, Text, Title } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, startTransition, useMemo, useState } from 'react';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { isChanged, knownColumns, searchOf, stateOf } from './list-search.js';
import type { ViewMenuProps } from './parts/view-menu.js';
import { useTitle } from './use-title.js';
import { useViews } from './views.queries.js';

// What a click opens is no part of the first view.
const ViewMenu = lazy(() => import('./parts/view-menu.js'));
const CreateDrawer = lazy(() => import('./parts/create-drawer.js'));
const SelectableTable = lazy(() => import('./bulk/selectable-table.js'));
const BoardView = lazy(() => import('./parts/board-view.js'));

/** Rows that the API gives at a time, at most. */
const PAGE_SIZE = 200;

/** The list of an object. Search, sort, filter, view and the form of a new record are in the address. */
export default function ListPage() {
  const { object } = useParams({ strict: false });
  const texts = useTexts(SHELL_TEXTS);
  const model = useRecords().objects.find(({ apiName }) => apiName === object);
  useTitle(model?.pluralLabel);
  if (!model) return <EmptyNotice title={texts.unknownList} text={texts.unknownListText} />;
  return <List key={model.apiName} model={model} />;
}

function List({ model }: { readonly model: ObjectModel }) {
  const texts = useTexts(RECORD_TEXTS);
  const address = useSearch({ from: '/shell/records/$object' });
  const navigate = useNavigate({ from: '/records/$object' });
  const search = useMemo(() => {
    const filter = address.filter ? readFilter(address.filter) : address.filter;
    return { ...address, filter, columns: knownColumns(model.fields, address.columns) };
  }, [address, model]);
  const views = useViews(model.apiName, search.view !== undefined);
  const view = views.data?.find(({ id }) => id === search.view);
  const state = useMemo(() => stateOf(search, view), [search, view]);
  const [isSelecting, setSelecting] = useState(false);
  const setCreating = (next: boolean): void =>
    void navigate({ search: (present) => ({ ...present, new: next || undefined }), replace: !next });
  const onImport = (): void => void navigate({ to: '/records/$object/import', params: { object: model.apiName } });
  const onCreated = ({ id }: { id: string }): void =>
    void navigate({ to: '/records/$object/$id', params: { object: model.apiName, id }, replace: true });
  const drawer = (
    <Suspense>
      {search.new && model.creatable ? (
        <CreateDrawer model={model} onCreated={onCreated} onClose={() => setCreating(false)} />
      ) : null}
    </Suspense>
  );
  const [pipeline] = model.pipelines;
  if (pipeline && search.board !== undefined) {
    return (
      <Suspense fallback={<LoadingLines label={texts.loading} lines={10} />}>
        <BoardView
          model={model}
          pipelineId={search.board}
          onPipeline={(board) => void navigate({ search: { board } })}
          onCreate={() => setCreating(true)}
        />
        {drawer}
      </Suspense>
    );
  }
  return (
    <div className="list">
      <Group justify="space-between" mb="sm" gap="xs">
        <Group gap="xs">
          <Title order={1} size="h3">
            {model.pluralLabel}
          </Title>
          <ViewButton
            model={model}
            view={view}
            state={state}
            isChanged={view !== undefined && isChanged(search)}
            onChoose={(next) => void navigate({ search: { view: next?.id } })}
            onImport={onImport}
          />
        </Group>
        <Group gap="xs">
          {pipeline ? (
            <Button variant="default" onClick={() => void navigate({ search: { board: pipeline.id } })}>
              {texts.board}
            </Button>
          ) : null}
          {model.updatable || model.deletable ? (
            <Button
              variant={isSelecting ? 'light' : 'default'}
              aria-pressed={isSelecting}
              // The list stays as it is until the other one is loaded.
              onClick={() => startTransition(() => setSelecting(!isSelecting))}
            >
              {texts.select}
            </Button>
          ) : null}
          {model.creatable ? <Button onClick={() => setCreating(true)}>{texts.create(model.label)}</Button> : null}
        </Group>
      </Group>
      {search.view !== undefined && views.isPending ? (
        <LoadingLines label={texts.loading} lines={10} />
      ) : (
        <RecordList
          model={model}
          state={state}
          onState={(next) =>
            void navigate({
              search: searchOf(next, view),
              // A search is a step that one goes back from; each further letter of it is none, and neither is a column.
              replace: (state.q !== undefined && next.q !== undefined) || state.columns !== next.columns,
            })
          }
          onCreate={() => setCreating(true)}
          onImport={onImport}
          table={isSelecting ? SelectableTable : VirtualTable}
          size={PAGE_SIZE}
        />
      )}
      {drawer}
    </div>
  );
}

/** Names the view of the list; a click opens the menu of all. */
function ViewButton(props: Omit<ViewMenuProps, 'button'>) {
  const texts = useTexts(SHELL_TEXTS);
  const [isOpened, setOpened] = useState(false);
  const { view, model, isChanged } = props;
  const button = (more: object) => (
    <Button variant="subtle" size="compact-sm" rightSection={<Icon name="expand" />} {...more}>
      {view?.name ?? texts.allOf(model.pluralLabel)}
    </Button>
  );
  const closed = button({ onClick: () => setOpened(true), 'aria-haspopup': 'menu' });
  return (
    <>
      {isOpened ? (
        <Suspense fallback={closed}>
          <ViewMenu {...props} button={button} />
        </Suspense>
      ) : (
        closed
      )}
      {isChanged ? (
        <Text size="xs" c="dimmed">
          {texts.notSaved}
        </Text>
      ) : null}
    </>
  );
}
