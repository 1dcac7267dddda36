// A browser without a window, which remembers what went wrong in a page.
import puppeteer from 'puppeteer-core';

export async function page(executablePath) {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--allow-file-access-from-files',
    '--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader'];
  const browser = await puppeteer.launch({ executablePath, headless: true, args });
  const page = await browser.newPage();
  const wrong = [];
  await page.setViewport({ width: 1000, height: 900 });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  return { browser, page, wrong };
}

export function hold(what, condition, seen) {
  if (!condition) { throw new Error(`${what}: ${JSON.stringify(seen)}`); }
}
