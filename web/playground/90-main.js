/* 90-main.js - tabs, theme, and the link: everything begins here. */
"use strict";

(() => {
    const NAMES = ["constraints", "drive", "grid"];

    function show(name) {
        page.current = name;
        for (const other of NAMES) {
            const on = other === name, tab = by(`tab-${other}`);
            by(`panel-${other}`).hidden = !on;
            tab.setAttribute("aria-selected", String(on));
            tab.tabIndex = on ? 0 : -1;
            if (!on)
                page.tabs[other].hide();
        }
        page.tabs[name].show();
        save_soon();
    }

    page.state = () => ({v: 1, tab: page.current, ...Object.fromEntries(NAMES.map((name) => [name, page.tabs[name].save()]))});

    window.save_soon = () => {
        clearTimeout(save_soon.timer);
        save_soon.timer = setTimeout(() => {
            page.hash = `#${encode(page.state())}`;
            try {
                history.replaceState(null, "", page.hash);
            } catch { /* some browsers refuse that from disk: the button still has it */ }
        }, 400);
    };

    function listen() {
        NAMES.forEach((name, i) => {
            const tab = by(`tab-${name}`);
            tab.addEventListener("click", () => show(name));
            tab.addEventListener("keydown", (event) => {
                const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
                if (step) {
                    const next = NAMES[(i + step + NAMES.length) % NAMES.length];
                    show(next);
                    by(`tab-${next}`).focus();
                }
            });
        });
        by("share").addEventListener("click", () => copy(`${location.href.split("#")[0]}#${encode(page.state())}`, "Link"));
        by("theme").addEventListener("click", () => set_theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => set_theme(event.matches ? "dark" : "light"));
        new ResizeObserver(() => page.tabs[page.current].draw()).observe(by("main"));
        window.addEventListener("hashchange", () => {
            if (location.hash !== page.hash && location.hash.length > 1)
                location.reload();
        });
    }

    document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    colours.read();
    const saved = location.hash.length > 1 ? decode(location.hash.slice(1)) : null;
    listen();
    for (const name of NAMES)
        page.tabs[name].begin(saved && saved[name]);
    show(saved && NAMES.includes(saved.tab) ? saved.tab : "constraints");
    hardnet.version().then((version) => { by("about").textContent = `hardnet ${version}, the C library itself, runs in this page as WebAssembly. Nothing is sent anywhere.`; });
})();
