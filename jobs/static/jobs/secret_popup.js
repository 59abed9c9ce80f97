/* A secret generated in a popup: once it is copied, the new endpoint goes to the field that the popup was opened from,
   as Django's own popup_response.js would have done at once. */
"use strict";
document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("secret-copied");
    button.addEventListener("click", () => {
        const told = JSON.parse(button.dataset.popupResponse);
        if (told.action === "change") {
            window.opener.dismissChangeRelatedObjectPopup(window, told.value, told.obj, told.new_value);
        } else {
            window.opener.dismissAddRelatedObjectPopup(window, told.value, told.obj);
        }
    });
});
