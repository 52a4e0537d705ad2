import { useEffect } from 'react';

/** Reports the height of the content, so that the host can make the frame as high. */
export function useHeight(element: HTMLElement, report: (height: number) => void): void {
  useEffect(() => {
    let last = -1;
    const observer = new ResizeObserver(() => {
      const height = Math.ceil(element.getBoundingClientRect().height);
      if (height === last) return;
      last = height;
      report(height);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, report]);
}
