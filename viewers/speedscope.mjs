// Opens a file in speedscope and looks for a function in its table. Usage: node speedscope.mjs BROWSER PACKAGE FILE
import { page as open, hold } from './browser.mjs';

const [, , executable, folder, file] = process.argv;
const { browser, page, wrong } = await open(executable);
try {
  await page.goto(`file://${folder}/dist/release/index.html`);
  const input = await page.waitForSelector('input[type=file]');
  await input.uploadFile(file);
  // The title is that of the profile once it has been read.
  await page.waitForFunction(() => document.title.includes('shares'), { timeout: 20000 });
  await page.keyboard.press('3');
  await page.waitForFunction(() => document.body.innerText.includes('fifty'), { timeout: 20000 });
  hold('nothing goes wrong', wrong.length === 0, wrong);
  console.log('speedscope: read, fifty is in its table');
} finally {
  await browser.close();
}
