// Uses a flame graph as somebody would: keys before anything has the focus, search, zoom, arrows, icicle, buttons.
// Usage: node flame.mjs BROWSER FILE
import { page as open, hold } from './browser.mjs';

const [, , executable, file] = process.argv;
const { browser, page, wrong } = await open(executable);
try {
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) { wrong.push('loads ' + request.url()); }
  });
  await page.goto('file://' + file);
  const state = () => page.evaluate(() => {
    const bars = Array.from(document.querySelectorAll('g.bar'));
    const name = (bar) => bar ? bar.querySelector('title').textContent.split('\n')[0] : '';
    const focused = document.activeElement && document.activeElement.closest('g.bar');
    return {
      status: document.querySelector('g.status text').textContent,
      shown: bars.filter((bar) => !bar.classList.contains('gone')).length,
      found: bars.filter((bar) => bar.classList.contains('found')).length,
      focus: name(focused),
      trunk: Number(bars[0].querySelector('rect').getAttribute('y')),
    };
  });
  const check = async (what, is) => { const seen = await state(); hold(`${file}: ${what}`, is(seen), seen); return seen; };
  const box = async (name) => (await page.evaluateHandle((name) => Array.from(document.querySelectorAll('g.bar'))
    .find((bar) => bar.querySelector('title').textContent.split('\n')[0] === name).querySelector('rect'), name)).asElement();

  const whole = await check('all is shown', (it) => it.shown > 5 && it.found === 0);
  await page.keyboard.press('/');
  await page.keyboard.type('fifty');
  await check('a search begins without a click', (it) => it.found > 0 && it.status.startsWith('search: fifty_'));
  await page.keyboard.press('Enter');
  await check('Enter ends the typing', (it) => /^“fifty” in .* %$/.test(it.status));
  await page.keyboard.press('Escape');
  await check('Escape forgets it', (it) => it.found === 0 && it.status === '');
  await page.keyboard.press('i');
  await check('i turns it over', (it) => it.trunk < whole.trunk);
  await page.keyboard.press('i');
  await (await box('fifty')).click();
  const zoomed = await check('a click zooms', (it) => it.focus === 'fifty' && it.shown < whole.shown);
  hold('numbers of what has the focus are said', /\d samples, .* %/.test(zoomed.status), zoomed);
  await page.keyboard.press('ArrowDown');
  await check('arrows move to the caller', (it) => it.focus !== 'fifty' && it.focus !== '');
  await page.keyboard.press('Enter');
  await check('Enter zooms', (it) => it.shown > zoomed.shown);
  await page.keyboard.press('Escape');
  await check('Escape goes back', (it) => it.shown === whole.shown);
  page.once('dialog', (dialog) => dialog.accept('thirty'));
  await (await page.$('[data-do=search]')).click();
  await check('the button searches', (it) => it.found > 0 && it.status.startsWith('“thirty”'));
  await (await page.$('[data-do=reset]')).click();
  await check('a button goes back', (it) => it.found === 0);
  hold('nothing goes wrong', wrong.length === 0, wrong);
  console.log(`flame graph: ${file.split('/').pop()} is searched, zoomed, turned and walked through in ${await browser.version()}`);
} finally {
  await browser.close();
}
