"""Addresses of allauth's views: signing in and out, the password, the second factor.

Only those the portal offers are listed, under the names that allauth's templates use.
"""

from allauth.account import views as account
from allauth.mfa.base import views as factor
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as app_codes
from allauth.mfa.webauthn import views as passkeys
from django.contrib.auth.views import LogoutView
from django.urls import path

urlpatterns = [
    path("sign-in/", account.login, name="account_login"),
    path("sign-in/code/", factor.authenticate, name="mfa_authenticate"),
    path("sign-in/passkey/", passkeys.login_webauthn, name="mfa_login_webauthn"),
    path("sign-out/", LogoutView.as_view(), name="account_logout"),
    path("account/closed/", account.account_inactive, name="account_inactive"),
    path("account/password/", account.password_change, name="account_change_password"),
    path("account/confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code/", factor.reauthenticate, name="mfa_reauthenticate"),
    path(
        "account/confirm/passkey/",
        passkeys.reauthenticate_webauthn,
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/second-factor/", factor.index, name="mfa_index"),
    path("account/second-factor/app/", app_codes.activate_totp, name="mfa_activate_totp"),
    path("account/second-factor/app/off/", app_codes.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/second-factor/passkeys/", passkeys.list_webauthn, name="mfa_list_webauthn"),
    path("account/second-factor/passkeys/add/", passkeys.add_webauthn, name="mfa_add_webauthn"),
    path(
        "account/second-factor/passkeys/<int:pk>/remove/",
        passkeys.remove_webauthn,
        name="mfa_remove_webauthn",
    ),
    path(
        "account/second-factor/passkeys/<int:pk>/rename/",
        passkeys.edit_webauthn,
        name="mfa_edit_webauthn",
    ),
    path(
        "account/second-factor/recovery/",
        recovery.view_recovery_codes,
        name="mfa_view_recovery_codes",
    ),
    path(
        "account/second-factor/recovery/new/",
        recovery.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/second-factor/recovery/download/",
        recovery.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]
