"use strict";
(() => {
  const LEAST_ROWS = 8; // of a table with a filter

  // --- tables: sort by a column within each section, filter rows ---------------------------------

  const number = (text) => {
    const plain = text.replace(/\u2212/g, "-").replace(/^(<|below|over)\s*/, "");
    const found = plain.match(/^[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?/i);
    return found ? Number(found[0].replace(/,/g, "")) : NaN;
  };
  const isMissing = (text) => text === "" || text === "–";
  const cellText = (row, column) => {
    const cell = row.cells[column], summary = cell && cell.querySelector("summary");
    return cell ? (summary || cell).textContent.trim() : "";
  };
  const compare = (a, b, numeric, sign) => {
    if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b);
    return sign * (numeric ? number(a) - number(b) : a.localeCompare(b, "en", { numeric: true }));
  };

  const sortTable = (table, header, column, bodies) => {
    const before = header.getAttribute("aria-sort");
    const next = { ascending: "descending", descending: "none" }[before] || "ascending";
    for (const one of table.tHead.querySelectorAll("[aria-sort]")) one.removeAttribute("aria-sort");
    if (next !== "none") header.setAttribute("aria-sort", next);
    for (const [body, rows] of bodies) {
      const texts = rows.map((row) => cellText(row, column));
      const numeric = texts.every((text) => isMissing(text) || !Number.isNaN(number(text)));
      const order = rows.map((_, index) => index);
      if (next !== "none") {
        const sign = next === "ascending" ? 1 : -1;
        order.sort((i, j) => compare(texts[i], texts[j], numeric, sign) || i - j);
      }
      body.append(...order.map((index) => rows[index]));
    }
  };

  const addFilter = (table, bodies) => {
    const input = document.createElement("input");
    input.type = "search";
    input.className = "filter";
    input.placeholder = "Filter rows";
    input.setAttribute("aria-label", "Filter rows");
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const [body, rows] of bodies) {
        const section = body.querySelector("tr.section");
        const whole = section && section.textContent.toLowerCase().includes(wanted);
        for (const row of rows) {
          row.hidden = !whole && !row.textContent.toLowerCase().includes(wanted);
        }
        if (section) section.hidden = rows.every((row) => row.hidden);
      }
    });
    table.parentNode.insertBefore(input, table);
  };

  // Menus of a table of statements; what is chosen stays in the address.
  const addMenus = (table, rows, names) => {
    const place = document.createElement("div"), menus = new Map();
    place.className = "filters";
    const address = new URLSearchParams(location.search);
    const apply = () => {
      const wanted = [...menus].filter(([, menu]) => menu.value);
      for (const row of rows) {
        row.hidden = !wanted.every(([name, menu]) => row.dataset[name] === menu.value);
      }
      const query = new URLSearchParams(location.search);
      for (const [name, menu] of menus) {
        if (menu.value) query.set(name, menu.value); else query.delete(name);
      }
      const text = query.toString();
      history.replaceState(null, "", (text ? `?${text}` : location.pathname) + location.hash);
    };
    for (const name of names) {
      const menu = document.createElement("select");
      menu.className = "filter";
      menu.setAttribute("aria-label", `Filter by ${name}`);
      const values = [...new Set(rows.map((row) => row.dataset[name]))];
      menu.append(new Option(`every ${name}`, ""), ...values.map((value) => new Option(value, value)));
      if (values.includes(address.get(name))) menu.value = address.get(name);
      menu.addEventListener("change", apply);
      menus.set(name, menu);
      place.append(menu);
    }
    table.parentNode.insertBefore(place, table);
    apply();
  };

  // A row of statements as a line of LaTeX or CSV.
  const asText = (record, format) => {
    const interval = record.low === null ? "" : ` [${record.low.toPrecision(3)}, ${record.high === null ? "" : record.high.toPrecision(3)}]`;
    const value = record.value === null ? "" : record.value.toPrecision(3) + interval;
    const cells = [record.statement, record.published, value, record.n, record.verdict];
    if (format === "latex") {
      return cells.map((cell) => cell.replace(/[&%$#_{}]/g, "\\$&")).join(" & ") + " \\\\";
    }
    return cells.map((cell) => `"${cell.replace(/"/g, '""')}"`).join(",");
  };
  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", () => {
      const record = JSON.parse(button.closest("tr").dataset.copy), name = button.textContent;
      navigator.clipboard.writeText(asText(record, button.dataset.format))
        .then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed here"; })
        .finally(() => setTimeout(() => { button.textContent = name; }, 1500));
    });
  }

  // A link to a row opens what holds it, and the row.
  const openTarget = () => {
    const row = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row) return;
    for (let one = row.parentElement; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    const own = row.querySelector("details");
    if (own && row.tagName === "TR") own.open = true;
    row.hidden = false;
    row.scrollIntoView();
  };
  window.addEventListener("hashchange", openTarget);

  for (const table of document.querySelectorAll("table")) {
    const bodies = [...table.tBodies].map((body) =>
      [body, [...body.rows].filter((row) => !row.classList.contains("section"))]);
    const count = bodies.reduce((sum, [, rows]) => sum + rows.length, 0);
    if (count < 2 || !table.tHead) continue;
    [...table.tHead.rows].pop().querySelectorAll("th").forEach((header) => {
      if (header.dataset.sort === "none") return;
      const button = document.createElement("button"), column = header.cellIndex;
      button.append(...header.childNodes);
      button.title = "Sort by this column";
      button.addEventListener("click", () => sortTable(table, header, column, bodies));
      header.append(button);
    });
    if (count >= LEAST_ROWS) addFilter(table, bodies);
    if (table.dataset.filters) {
      addMenus(table, bodies.flatMap(([, rows]) => rows), table.dataset.filters.split(" "));
    }
  }

  openTarget();
})();
