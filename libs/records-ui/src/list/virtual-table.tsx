import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useState } from 'react';
import { FramedTable, type RecordTableProps, ROW_HEIGHT, type Rows } from './record-table.js';

/** Rows beyond the edges, so that a fast scroll shows no gap. */
const OVERSCAN = 16;
/** Rows before the end at which the next page is asked for. */
const AHEAD = 100;

export interface VirtualTableProps extends RecordTableProps {
  /** Asks for the next page; undefined when there is none, or it is on its way. */
  readonly onEnd?: () => void;
}

/** A table that scrolls by itself and draws only what is seen, however many records there are. */
export function VirtualTable({ onEnd, ...props }: VirtualTableProps) {
  // A state, so that the rows are drawn again when it is there to be scrolled.
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section ref={setFrame} className="records-frame" tabIndex={0} aria-label={props.model.pluralLabel}>
      <FramedTable {...props} body={(rows) => <VisibleRows rows={rows} frame={frame} onEnd={onEnd} />} />
    </section>
  );
}

interface VisibleRowsProps {
  readonly rows: Rows;
  readonly frame: HTMLElement | null;
  readonly onEnd?: () => void;
}

/** By itself, so that scrolling draws nothing but rows. */
function VisibleRows({ rows: { records, rowAt, cells }, frame, onEnd }: VisibleRowsProps) {
  const virtual = useVirtualizer({
    count: records.length,
    getScrollElement: () => frame,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    // Rows are there before the frame is measured, so that nothing moves then.
    initialRect: { width: 0, height: innerHeight },
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= records.length - AHEAD) onEnd?.();
  }, [last, records.length, onEnd]);
  return (
    <>
      <Space rows={first} cells={cells} />
      {items.map(({ index }) => rowAt(index))}
      <Space rows={records.length - 1 - last} cells={cells} />
    </>
  );
}

/** Takes the height of the rows that are not drawn. */
function Space({ rows, cells }: { readonly rows: number; readonly cells: number }) {
  return rows > 0 ? (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr aria-hidden="true" style={{ height: rows * ROW_HEIGHT }}>
      <td colSpan={cells} className="records-space" />
    </tr>
  ) : null;
}
