import type { Locator } from 'playwright-core';
import decodeQR from 'qr/decode.js';

/** Dots of the image for one module of the code. */
const SCALE = 4;

/** What a phone reads from the QR code on the page. */
export async function qrText(image: Locator): Promise<string> {
  const { size, path } = await image.evaluate((svg) => ({
    size: Number(svg.getAttribute('viewBox')?.split(' ')[2]),
    path: svg.querySelector('path')?.getAttribute('d') ?? '',
  }));
  const width = size * SCALE;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < SCALE; row += 1) {
      const begin = ((Number(y) * SCALE + row) * width + Number(x) * SCALE) * 4;
      for (let dot = begin; dot < begin + SCALE * 4; dot += 4) data.fill(0, dot, dot + 3);
    }
  }
  return decodeQR({ width, height: width, data });
}
