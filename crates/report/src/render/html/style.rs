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

/// Script that lets long tables be searched and be sorted by any column. Figures are sorted by their size, whatever their
/// unit is. Without scripts the tables are as they were written.
pub(super) const TABLE_SCRIPT: &str = "\
(function(){var each=Array.prototype.forEach,units={'ns':1,'\\u00b5s':1e3,'ms':1e6,'s':1e9,'KiB':1024,'MiB':1048576,\
'GiB':1073741824};\
var value=function(cell){var text=cell.textContent.replace(/\\u2212/g,'-').replace(/[\\u00a0\\u202f]/g,' ').replace(/^[<>] /,'');\
var minutes=/^(\\d+) m ([\\d.]+) s$/.exec(text);if(minutes)return(60*minutes[1]+ +minutes[2])*1e9;\
var one=/^([+-]?[\\d.]+(?:e[+-]?\\d+)?)(?: (\\S+))?$/.exec(text);\
return one?parseFloat(one[1])*(units[one[2]]||1):text.toLowerCase()};\
var order=function(x,y){return typeof x===typeof y?(x<y?-1:x>y?1:0):typeof x==='number'?-1:1};\
each.call(document.querySelectorAll('table'),function(table){\
var body=table.tBodies[0],rows=Array.prototype.slice.call(body.rows),heads=table.tHead.rows[0].cells,frame=table.parentNode;\
if(rows.length<=30)return;\
var label=document.createElement('label'),input=document.createElement('input'),told=document.createElement('output');\
label.className=told.className='screen';label.textContent='Search ';input.type='search';label.appendChild(input);\
frame.parentNode.insertBefore(label,frame);frame.parentNode.insertBefore(told,frame);\
var texts=rows.map(function(row){return row.textContent.toLowerCase()});\
input.addEventListener('input',function(){var words=input.value.toLowerCase().split(/\\s+/),shown=0;\
rows.forEach(function(row,at){row.hidden=!words.every(function(word){return texts[at].indexOf(word)>=0});\
if(!row.hidden)shown++});told.textContent=' '+shown+' of '+rows.length});\
each.call(heads,function(head,column){var button=document.createElement('button');button.type='button';\
button.textContent=head.textContent;head.textContent='';head.appendChild(button);\
button.addEventListener('click',function(){var down=head.getAttribute('aria-sort')!=='descending';\
each.call(heads,function(other){other.removeAttribute('aria-sort')});\
head.setAttribute('aria-sort',down?'descending':'ascending');\
rows.map(function(row){return[value(row.cells[column]),row]}).sort(function(a,b){return order(a[0],b[0])*(down?-1:1)})\
.forEach(function(it){body.appendChild(it[1])})})})})})()";

/// The content security policy, by which browsers refuse to load anything.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
