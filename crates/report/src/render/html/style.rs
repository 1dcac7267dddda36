//! Style and script of a page: constants that contain nothing of the record.

/// The style sheet of pages: the reader's light or dark theme; wide parts scroll by themselves; printed pages have ink
/// on white and all rows.
pub(crate) const STYLE: &str = "\
:root{color-scheme:light dark;--text:#1f2328;--page:#fff;--soft:#59636e;--edge:#d0d7de;--fill:#f6f8fa;\
--good:#116329;--bad:#a40e26;--doubt:#7d4e00;--neutral:#0550ae}\
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--page:#0d1117;--soft:#9198a1;--edge:#3d444d;--fill:#161b22;\
--good:#57ab5a;--bad:#ff8a80;--doubt:#d4a72c;--neutral:#79c0ff}}\
*{box-sizing:border-box}body{font:16px/1.5 system-ui,'DejaVu Sans',Arial,sans-serif;max-width:64rem;margin:0 auto;\
padding:1rem;color:var(--text);background:var(--page);overflow-wrap:break-word}\
h1{font-size:1.35rem;line-height:1.35;margin:.5rem 0 1rem;font-weight:600}\
h2{font-size:1.1rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.5rem 0 .5rem}\
.answer{font-size:1.1rem;font-weight:600;margin:.5rem 0}.faint{color:var(--soft)}p.faint,.conditions{font-size:.9rem}\
.good{color:var(--good)}.bad{color:var(--bad)}.doubt{color:var(--doubt)}.neutral{color:var(--neutral)}\
.warnings{border-left:4px solid var(--doubt);background:var(--fill);padding:.25rem 1rem;margin:1rem 0}\
.warnings p{margin:.5rem 0}code{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:.92em;overflow-wrap:anywhere}\
.scroll,figure,pre{overflow-x:auto;margin:1rem 0}pre{font:.85rem/1.4 ui-monospace,'DejaVu Sans Mono',monospace}table{border-collapse:collapse;font-size:.92rem}\
th,td{padding:.25rem .75rem;text-align:left;border-bottom:1px solid var(--edge);vertical-align:top}\
th{font-weight:400;color:inherit}thead th{color:var(--soft);white-space:nowrap}\
tbody th{max-width:24rem}tbody th:has(code){min-width:11rem}th code{overflow-wrap:break-word}\
td{white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums}.branch{white-space:pre;color:var(--soft)}\
figure svg{display:block;max-width:100%;height:auto}figcaption{font-size:.9rem}\
.zooms{display:flex;flex-wrap:wrap;gap:1rem}.zooms figure{flex:1 1 20rem;margin:0}\
ul{padding-left:1.25rem;margin:.5rem 0}li{margin:.15rem 0}\
summary{cursor:pointer;padding:.25rem 0}button{font:inherit;padding:.4rem .9rem;border:1px solid var(--edge);\
border-radius:6px;background:var(--fill);color:inherit;cursor:pointer}\
:focus-visible{outline:2px solid var(--neutral);outline-offset:2px}main:focus{outline:none}\
.skip{position:absolute;left:-99rem}.skip:focus{position:static}\
@media (max-width:45rem){body{padding:.75rem}figure svg{max-width:max(100%,42rem)}.zooms svg{max-width:100%}\
tbody th{max-width:14rem}h1{font-size:1.15rem}.answer{font-size:1rem}}\
@media print{:root{color-scheme:light;--text:#000;--page:#fff;--soft:#444;--edge:#bbb;--fill:#fff}\
body{max-width:none;padding:0;font-size:10pt}button,.skip,.screen{display:none}.scroll,figure{overflow:visible}\
figure,tr,.warnings{break-inside:avoid}h2,h3{break-after:avoid}td,thead th{white-space:normal}\
figure svg{max-width:100%}}";

/// Script that saves the JSON document of the page in a file, and unfolds all rows for printing.
pub(super) const SCRIPT: &str = "\
(function(){var save=document.getElementById('save'),data=document.getElementById('record');\
if(save&&data){save.hidden=false;save.onclick=function(){var link=document.createElement('a');\
link.href=URL.createObjectURL(new Blob([data.textContent],{type:'application/json'}));\
link.download=save.dataset.name;link.click();URL.revokeObjectURL(link.href)}}\
addEventListener('beforeprint',function(){document.querySelectorAll('details').forEach(function(it){it.open=true})})})()";

/// The content security policy, by which browsers refuse to load anything.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
