from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from deid_portal.accounts import views
from deid_portal.accounts.forms import SignInForm

app_name = "accounts"
urlpatterns = [
    path(
        "sign-in/",
        LoginView.as_view(
            template_name="registration/sign_in.html",
            authentication_form=SignInForm,
            redirect_authenticated_user=True,
        ),
        name="sign-in",
    ),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("account/team/", views.switch_team, name="switch-team"),
    path("account/theme/", views.set_theme, name="set-theme"),
]
