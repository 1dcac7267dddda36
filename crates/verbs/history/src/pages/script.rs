//! Style and scripts of the web pages. Both are constants without data of the store, so nothing in them has to be
//! escaped. The pages remain readable without scripts.

/// CSS rules in addition to the style of reports.
pub(super) const STYLE: &str = "\
th button{all:unset;cursor:pointer;padding:.1rem 0}th button:focus-visible{outline:2px solid var(--neutral)}\
th[aria-sort=ascending] button::after{content:' \\2191'}th[aria-sort=descending] button::after{content:' \\2193'}\
input,select{font:inherit;max-width:100%;padding:.3rem .5rem;border:1px solid var(--edge);border-radius:6px;\
background:var(--fill);color:inherit}a{color:var(--neutral)}section{margin-bottom:3rem}\
.compare output{display:block;margin:.5rem 0;font-weight:600}.compare label{display:inline-block;margin-right:1rem}";

/// Script that searches and sorts the table of the index.
pub(super) const INDEX: &str = "\
(function(){var table=document.getElementById('benchmarks'),place=document.getElementById('search'),\
body=table.tBodies[0],rows=Array.prototype.slice.call(body.rows),input=place.querySelector('input'),\
told=place.querySelector('output');place.hidden=false;\
var names=rows.map(function(row){return row.textContent.toLowerCase()});\
input.addEventListener('input',function(){var words=input.value.toLowerCase().split(/\\s+/),shown=0;\
rows.forEach(function(row,at){row.hidden=!words.every(function(word){return names[at].indexOf(word)>=0});\
if(!row.hidden)shown++});told.textContent=shown+' of '+rows.length});\
var heads=table.tHead.rows[0].cells;\
Array.prototype.forEach.call(heads,function(head,column){head.querySelector('button').addEventListener('click',function(){\
var down=head.getAttribute('aria-sort')!=='descending';\
Array.prototype.forEach.call(heads,function(other){other.removeAttribute('aria-sort')});\
head.setAttribute('aria-sort',down?'descending':'ascending');\
var of=function(row){var cell=row.cells[column],number=cell.dataset.v;\
return number===undefined?cell.textContent:parseFloat(number)};\
rows.map(function(row){return[of(row),row]}).sort(function(a,b){var x=a[0],y=b[0];\
return(x<y?-1:x>y?1:0)*(down?-1:1)}).forEach(function(it){body.appendChild(it[1])})})})})()";

/// Script that compares any two sessions of a series.
pub(super) const BENCHMARK: &str = "\
(function(){var all=JSON.parse(document.getElementById('data').textContent);\
Array.prototype.forEach.call(document.querySelectorAll('form.compare'),function(form){\
var series=all[+form.dataset.series],sessions=series.sessions,a=form.elements.a,b=form.elements.b,\
told=form.querySelector('output');if(sessions.length<2)return;\
[a,b].forEach(function(select){sessions.forEach(function(it,at){var option=document.createElement('option');\
option.value=at;option.textContent=it[0]+': '+it[1];select.appendChild(option)})});\
a.value=sessions.length-2;b.value=sessions.length-1;\
var change=function(ln){var percent=(Math.exp(ln)-1)*100;\
return(percent<0?'\\u2212':'+')+Math.abs(percent).toPrecision(3)+' %'};\
var show=function(){var x=sessions[+a.value],y=sessions[+b.value],shift=y[2]-x[2],\
error=1.96*Math.sqrt(x[3]*x[3]+y[3]*y[3]+2*series.between*series.between);\
told.textContent=change(shift)+' ('+change(shift-error)+' to '+change(shift+error)+', 95 %)'+\
(Math.abs(shift)>error?(shift>0)!==series.more_is_better?': worse':': better':': no difference is shown')};\
a.addEventListener('change',show);b.addEventListener('change',show);\
form.addEventListener('submit',function(event){event.preventDefault()});form.hidden=false;show()})})()";
